package pack

// Unpackable is unpackable, for tests.
var Unpackable = unpackable

// Fits is fits, for tests.
func (p Packed) Fits(draft string) error { return p.fits(draft) }
