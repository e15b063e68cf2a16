// Inverts the colours of an image: kiln compile --target=tgl -E Invert client/examples/invert.cs.hlsl

RWTexture2D<float4> image : register(u0);  // binding 2000 of set 0

cbuffer Size : register(b0) {  // binding 0 of set 0
  uint2 size;
  float strength;
};

[numthreads(8, 8, 1)] void Invert(uint3 at : SV_DispatchThreadID) {
  if (any(at.xy >= size)) return;
  const float4 colour = image[at.xy];
  image[at.xy] = float4(lerp(colour.rgb, 1 - colour.rgb, strength), colour.a);
}
