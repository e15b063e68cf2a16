// validate - Mesa's own checks of Intel machine code, on binaries of any compiler.
//
//   validate DEVICE < LIST
//
// DEVICE is a name that Mesa knows (tgl, skl, hsw, ...), LIST names files, a path per line. Each
// holds instructions from its first byte to its last, compact ones allowed. Linked with Mesa's
// validator and disassembler, which validator.bash builds from Mesa's source: with brw's (Gfx9 and
// later), or with elk's when PEER_ELK is defined (Gfx4 to Gfx8).
//
// Standard output has a line for each error, `FILE:OFFSET: the validator's message`, with the
// instruction as Mesa reads it, and ends with a line of totals. Each file has a process of its own,
// since Mesa asserts on encodings that nothing of Mesa makes: one that dies, or
// ends with a status, counts as an error of that file. Exit status: 0 no errors, 1 errors,
// 2 the tool could not run or was given no file.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef PEER_ELK
#include "elk_disasm.h"
#include "elk_disasm_info.h"
#include "elk_eu.h"
#define BACKEND "elk"
#define MESA(name) elk_##name
typedef struct elk_disasm_info Report;
typedef unsigned Offset;
typedef elk_inst Instruction;
typedef elk_compact_inst Compact;
#define is_compact elk_inst_cmpt_control
#define insert_error elk_disasm_insert_error
#else
#include "brw_disasm.h"
#include "brw_disasm_info.h"
#include "brw_eu.h"
#define BACKEND "brw"
#define MESA(name) brw_##name
typedef struct disasm_info Report;
typedef int Offset;
typedef brw_eu_inst Instruction;
typedef brw_eu_compact_inst Compact;
#define is_compact brw_eu_inst_cmpt_control
#define insert_error disasm_insert_error
#endif

// Counts of one file; lies in memory that a child shares with its parent.
struct Counts {
  long instructions, errors;
};

static struct intel_device_info device;
static struct MESA(isa_info) isa;
static struct Counts* counts;
static const char* file;
static const char* code;

// Called by the validator for each instruction that it objects to; stands in for the function of
// Mesa that puts the message into a listing. `error` is one or more lines.
void insert_error(Report* report, Offset offset, Offset size, const char* error) {
  (void)report, (void)size;
  ++counts->errors;
  char* lines = strdup(error);
  for (char* line = strtok(lines, "\n"); line; line = strtok(NULL, "\n"))
    printf("%s:0x%x: %s\n", file, offset, line + strspn(line, " \t"));
  free(lines);
  fflush(stdout);  // the disassembler may assert

  const void* at = code + offset;
  Instruction whole;
  const int compact = is_compact(&device, at);
  if (compact)
    MESA(uncompact_instruction)(&isa, &whole, (Compact*)at);
  else
    memcpy(&whole, at, sizeof whole);
  printf("   ");
  MESA(disassemble_inst)(stdout, &isa, &whole, compact, offset, NULL);
  fflush(stdout);
}

static void complain(const char* what) {
  ++counts->errors;
  printf("%s: %s\n", file, what);
  fflush(stdout);
}

// Returns the bytes of `path`, with room for a whole instruction after them.
static char* read_file(const char* path, long* size) {
  FILE* f = fopen(path, "rb");
  if (!f) {
    perror(path);
    exit(2);
  }
  fseek(f, 0, SEEK_END);
  *size = ftell(f);
  rewind(f);
  char* bytes = calloc(1, *size + sizeof(Instruction));
  if (!bytes || fread(bytes, 1, *size, f) != (size_t)*size) {
    perror(path);
    exit(2);
  }
  fclose(f);
  return bytes;
}

static void validate(long size) {
  long end = 0;
  while (end < size) {
    end += is_compact(&device, (const void*)(code + end)) ? sizeof(Compact) : sizeof(Instruction);
    ++counts->instructions;
  }
  if (size == 0) complain("no instructions");
  if (end > size) complain("ends within an instruction");
  const long before = counts->errors;
  // The pointer is only handed through to insert_error.
  if (!MESA(validate_instructions)(&isa, code, 0, size, (Report*)counts) &&
      counts->errors == before)
    complain("refused without a reason");
}

// True if the file has errors.
static bool validate_apart(const char* path) {
  long size;
  file = path;
  char* bytes = read_file(path, &size);
  code = bytes;
  const long before = counts->errors;
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    validate(size);
    _exit(0);
  }
  int status;
  if (child < 0 || waitpid(child, &status, 0) != child) {
    perror("fork");
    exit(2);
  }
  if (!WIFEXITED(status))
    complain("the validator died of what it read");
  else if (WEXITSTATUS(status) != 0)
    complain("the validator gave up on what it read");
  free(bytes);
  return counts->errors != before;
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: validate DEVICE < LIST\n");
    return 2;
  }
  const int id = intel_device_name_to_pci_device_id(argv[1]);
  if (id < 0 || !intel_get_device_info_from_pci_id(id, &device)) {
    fprintf(stderr, "validate: no device '%s'\n", argv[1]);
    return 2;
  }
  MESA(init_isa_info)(&isa, &device);
  counts = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (counts == MAP_FAILED) {
    perror("mmap");
    return 2;
  }
  int files = 0, bad = 0;
  char* path = NULL;
  size_t room = 0;
  for (ssize_t n; (n = getline(&path, &room, stdin)) > 0;) {
    path[strcspn(path, "\n")] = 0;
    ++files;
    bad += validate_apart(path);
  }
  free(path);
  if (files == 0) {
    fprintf(stderr, "validate: the list names no file\n");
    return 2;
  }
  printf("%s: %d binaries, %ld instructions: %ld errors in %d binaries (Mesa " MESA_VERSION
         ", " BACKEND ")\n",
         argv[1], files, counts->instructions, counts->errors, bad);
  return bad ? 1 : 0;
}
