// The kernel of gemm_amx.h on the host's tiles. Written as assembly and not with the compiler's
// intrinsics: those of GCC 12 do not say that a tile load reads memory and that a store writes it,
// and declare 8 of the 64 bytes of a configuration as read, so stores may be dropped or moved.
#include "sim/execute/gemm_amx.h"

namespace trainyard::sim {
namespace {

struct alignas(64) TileShapes {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
static_assert(sizeof(TileShapes) == 64);
constexpr TileShapes kShapes;

struct HostTiles {
  template <int T>
  static void load(const void* from, size_t row_bytes) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" ::"r"(from), "r"(row_bytes), "i"(T) : "memory");
  }
  template <int T>
  static void store(void* to, size_t row_bytes) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" ::"r"(to), "r"(row_bytes), "i"(T) : "memory");
  }
  template <int T>
  static void start(const void* from, size_t row_bytes, bool from_memory) {
    if (from_memory) return load<T>(from, row_bytes);
    asm volatile("tilezero %%tmm%c0" ::"i"(T));
  }
  // C += A * B; the assembler names the operands last first.
  template <int C, int A, int B>
  static void multiply_add() {
    asm volatile("tdpbf16ps %%tmm%c0, %%tmm%c1, %%tmm%c2" ::"i"(B), "i"(A), "i"(C));
  }
};

}  // namespace

void amx_enter() { asm volatile("ldtilecfg %0" ::"m"(kShapes)); }
void amx_leave() { asm volatile("tilerelease"); }
void gemm_strip_amx(const GemmStrip& strip) { amx_strip<HostTiles>(strip); }

}  // namespace trainyard::sim
