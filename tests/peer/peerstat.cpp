// peerstat - compile SPIR-V shaders with the installed Vulkan driver and print
// what the driver's compiler says about the result, one JSON object per line.
//
// No shader is ever executed, so the driver may run on a null device. See
// README.md for the output format and for what each method means.

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include <unistd.h>

#include "json.hpp"
#include "stat_options.hpp"
#include "stat_pool.hpp"
#include "vkutil.hpp"

namespace {

// Prints which device it is and what it can, as JSON.
void print_device(int index)
{
   vku::Instance in("peerstat", uint32_t(index));
   vku::Device d(in, 0, false);
   printf("{\"driver\":%s,\"device\":%s,\"vulkan\":\"%u.%u.%u\",\"subgroup_size\":%u,"
          "\"graphics_pipeline_library\":%s,\"executable_properties\":%s,\"mesh_shader\":%s,"
          "\"tessellation\":%s,\"geometry\":%s}\n",
          json::quote(in.driver_name + ", " + in.driver_info).c_str(),
          json::quote(in.props.deviceName).c_str(), VK_API_VERSION_MAJOR(in.props.apiVersion),
          VK_API_VERSION_MINOR(in.props.apiVersion), VK_API_VERSION_PATCH(in.props.apiVersion),
          in.subgroup.subgroupSize, d.gpl ? "true" : "false", d.exec_props ? "true" : "false",
          in.has(VK_EXT_MESH_SHADER_EXTENSION_NAME) ? "true" : "false",
          d.features.tessellationShader ? "true" : "false", d.features.geometryShader ? "true" : "false");
   fflush(stdout);
}

}   // namespace

int main(int argc, char **argv)
{
   try {
      const peerstat::CommandLine c = peerstat::parse_arguments(argc, argv);
      signal(SIGPIPE, SIG_IGN);
      struct sigaction sa{};
      sa.sa_handler = [](int) { peerstat::g_stop = 1; };
      for (int sig : {SIGINT, SIGTERM, SIGHUP})
         sigaction(sig, &sa, nullptr);
      setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
      if (c.list) {
         print_device(c.opt.device);
         _exit(0);   // without the drivers' exit handlers
      }
      for (auto *dir : {&c.opt.dump_asm, &c.opt.dump_bin})
         if (!dir->empty())
            fs::create_directories(*dir);
      return peerstat::Pool(c.opt, c.files).run() ? 1 : 0;
   } catch (const std::exception &e) {
      fprintf(stderr, "peerstat: %s\n", e.what());
      return 2;
   }
}
