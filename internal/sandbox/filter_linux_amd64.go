package sandbox

const (
	architecture       = 0xc000003e // AUDIT_ARCH_X86_64
	sysSetns           = 308
	sysProcessVMReadv  = 310
	sysProcessVMWritev = 311
	sysMemfdCreate     = 319
	sysBPF             = 321
	sysUserfaultfd     = 323
)
