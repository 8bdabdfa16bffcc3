package host

import "github.com/plumbline-ml/plumbline/sdk/internal/osprocess"

// KeepOpenFiles prevents programs started by this process from inheriting descriptors, except the three standard ones
// and those passed explicitly (os/exec's ExtraFiles). Launch and Inspect call it. A program that starts other programs
// before must call it at its start.
func KeepOpenFiles() { osprocess.KeepOpenFiles() }
