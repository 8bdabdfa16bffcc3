package sandbox

const (
	architecture       = 0xc00000b7 // AUDIT_ARCH_AARCH64
	sysSetns           = 268
	sysProcessVMReadv  = 270
	sysProcessVMWritev = 271
	sysMemfdCreate     = 279
	sysBPF             = 280
	sysUserfaultfd     = 282
)
