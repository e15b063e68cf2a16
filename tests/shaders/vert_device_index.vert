// The number of the device, of which there is one.
#version 450
#extension GL_EXT_device_group : require
layout(location = 0) in vec4 position;
layout(location = 0) flat out int device;

void main() {
  device = gl_DeviceIndex + 3;
  gl_Position = position * 0.5;
}
