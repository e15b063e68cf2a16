# validator.bash - builds Mesa's validators of Intel machine code; sourced by run-peer.
#
# From the source of Debian's package of Mesa, or from the folder that PEER_MESA_SOURCE
# names: the validator, the disassembler for its messages, the table of devices, and the headers that
# Mesa generates. Everything lies in $build; nothing of Mesa is part of this repository.
#
# mesa_source and build_validator set $skipped to the reason if no validator can be built.

# Downloads and unpacks into $build/mesa-VERSION. apt-get gets lists and a source line of its own, so
# that it needs no root and leaves the machine's settings alone.
fetch_mesa() {
   local dir=$build/mesa-download codename suite archive
   codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
   suite=$codename
   [ "$codename" != bookworm ] || suite=bookworm-backports   # as `drivers` in run-peer
   archive=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' | awk -v c="$codename" '$2 == c {uri = $1} END {print uri}')
   [ -n "$archive" ] || { skipped="no Debian archive is configured"; return 1; }
   rm -rf "$dir"
   mkdir -p "$dir/lists/partial"
   echo "deb-src $archive $suite main" > "$dir/sources.list"
   local apt=(apt-get -q -o "Dir::Etc::SourceList=$dir/sources.list" -o Dir::Etc::SourceParts=-
      -o "Dir::State::Lists=$dir/lists" -o APT::Sandbox::User=root -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=)
   echo "run-peer: fetching Mesa's source package" >&2
   (cd "$dir" && "${apt[@]}" update && "${apt[@]}" source --download-only --tar-only mesa) >&2 ||
      { skipped="Mesa's source package cannot be downloaded"; return 1; }
   tar -xJf "$dir"/mesa_*.orig.tar.xz -C "$dir" --wildcards 'mesa-*/VERSION' 'mesa-*/include' \
      'mesa-*/src/c11' 'mesa-*/src/compiler' 'mesa-*/src/intel' 'mesa-*/src/util' >&2 ||
      { skipped="Mesa's source package cannot be unpacked"; return 1; }
   rm -rf "$build"/mesa-[0-9]*
   mv "$dir"/mesa-*/ "$build/"
   rm -rf "$dir"
}

mesa_source() {     # sets $mesa to the folder
   if [ -n "${PEER_MESA_SOURCE:-}" ]; then
      mesa=$(readlink -f "$PEER_MESA_SOURCE")
      [ -e "$mesa/src/intel/compiler/brw_eu_validate.c" ] || die "no source of Mesa with brw in $PEER_MESA_SOURCE"
      return
   fi
   mesa=$(ls -d "$build"/mesa-[0-9]* 2> /dev/null | head -1)
   if [ -z "$mesa" ]; then
      [ "${PEER_NO_APT:-0}" != 1 ] || { skipped="no source of Mesa (PEER_NO_APT is set)"; return 1; }
      fetch_mesa || return 1
      mesa=$(ls -d "$build"/mesa-[0-9]* | head -1)
   fi
}

generate_headers() {        # generate_headers FOLDER: the headers that Mesa's build makes from tables
   local out=$1 src=$mesa/src python="/usr/bin/python3 -B"
   mkdir -p "$out/intel/dev" "$out/util/format"
   $python "$src/util/format/u_format_table.py" --enums "$src/util/format/u_format.yaml" > "$out/util/format/u_format_gen.h"
   $python "$src/intel/dev/intel_device_info_gen_h.py" "$out/intel/dev/intel_device_info_gen.h"
   $python "$src/intel/dev/gen_wa_helpers.py" "$src/intel/dev/mesa_defs.json" "$out/intel/dev/intel_wa.h" "$out/intel/dev/intel_wa.c"
   # Only elk includes these.
   $python "$src/compiler/builtin_types_h.py" "$out/builtin_types.h"
   $python "$src/compiler/nir/nir_opcodes_h.py" > "$out/nir_opcodes.h"
   $python "$src/compiler/nir/nir_intrinsics_h.py" --outdir "$out"
   $python "$src/compiler/nir/nir_intrinsics_indices_h.py" --outdir "$out"
}

# build_validator brw|elk: sets $validator to the program. Sections that nothing refers to are dropped
# by the linker, and with them references to the rest of Mesa. Assertions stay in.
build_validator() {
   local backend=$1 version gen files
   mesa_source || return 1
   version=$(cat "$mesa/VERSION")
   validator=$build/validate-$backend-$version
   stale "$validator" "$here/validate.c" "$here/validator.bash" || return 0
   need gcc libc6-dev python3-mako python3-yaml
   echo "run-peer: building the $backend validator of Mesa $version" >&2
   gen=$build/generated-$version
   generate_headers "$gen"
   files=("$mesa"/src/intel/dev/{intel_device_info,i915/intel_device_info}.c "$gen/intel/dev/intel_wa.c"
      "$mesa"/src/util/{ralloc,half_float,log,u_debug,os_misc,u_process}.c)
   case $backend in
   brw) files+=("$mesa"/src/intel/compiler/brw_{eu_validate,eu,eu_compact,reg_type,disasm,packed_float}.c) ;;
   elk) files+=(-DPEER_ELK "$mesa"/src/intel/compiler/elk/elk_{eu_validate,eu,eu_compact,eu_util,reg_type,disasm,packed_float}.c) ;;
   esac
   compile "$validator" gcc -std=gnu11 -O1 -w -ffunction-sections -fdata-sections -Wl,--gc-sections \
      -D_GNU_SOURCE -DHAVE_PROGRAM_INVOCATION_NAME -DHAVE_PTHREAD -DHAVE_SECURE_GETENV -DHAVE_STRUCT_TIMESPEC -DHAVE_TIMESPEC_GET \
      -DHAVE___BUILTIN_UNREACHABLE -DUTIL_ARCH_LITTLE_ENDIAN=1 -DUTIL_ARCH_BIG_ENDIAN=0 \
      "-DMESA_VERSION=\"$version\"" -I"$mesa"/{include,src,src/intel,src/intel/compiler,src/intel/compiler/elk,src/compiler/nir} \
      -I"$gen" -I"$gen/intel" -I"$gen/intel/dev" "$here/validate.c" "${files[@]}" -lm -lpthread
}

# validate TARGET FILE|DIR ...: status as of validate.c; 0 if all is skipped, which is reported.
validate() {
   [ $# -ge 2 ] || die "usage: run-peer validate TARGET FILE.bin|DIR ..."
   local target=$1 backend f files=() skipped="" validator="" mesa=""
   shift
   case $target in
   tgl | icl | skl) backend=brw ;;
   bdw | hsw) backend=elk ;;
   *) die "Mesa has validators for Intel's machine code only, not for '$target'" ;;
   esac
   for f in "$@"; do
      if [ -d "$f" ]; then
         mapfile -t -O ${#files[@]} files < <(find "$f" -type f -name '*.bin' | LC_ALL=C sort)
      else
         [ -r "$f" ] || die "cannot read $f"
         files+=("$f")
      fi
   done
   [ ${#files[@]} -gt 0 ] || die "no binaries in $*"
   mkdir -p "$build"
   exec 9> "$build/lock"
   flock 9
   build_validator $backend || { echo "$target: ${#files[@]} binaries skipped: $skipped"; return 0; }
   flock -u 9
   printf '%s\n' "${files[@]}" | "$validator" "$target"
}
