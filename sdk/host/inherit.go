package host

import "github.com/plumbline-ml/plumbline/sdk/internal/osprocess"

// KeepOpenFiles keeps descriptors other than the three standard ones from every program that this process starts from
// now on, but for those that it hands down by name (os/exec's ExtraFiles). Launch and Inspect do so; a program that
// starts others before them calls it when it begins.
func KeepOpenFiles() { osprocess.KeepOpenFiles() }
