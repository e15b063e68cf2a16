; Squares the 32 numbers of the buffer at binding 0; a wave of 32 lanes. The machine code beside it:
;   llvm-mc-19 -triple=amdgcn -mcpu=gfx1030 -filetype=obj -o square.o square.s
;   llvm-objcopy-19 -O binary --only-section=.text square.o square.bin
; s0: low half of the address of the buffer's V# (square.launch.json); v0: local id.
s_mov_b32 s1, 0xffff8000
s_load_dwordx4 s[4:7], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 2, v0
s_waitcnt lgkmcnt(0)
buffer_load_dword v2, v1, s[4:7], 0 offen
s_waitcnt vmcnt(0)
v_mul_lo_u32 v2, v2, v2
buffer_store_dword v2, v1, s[4:7], 0 offen
s_endpgm
