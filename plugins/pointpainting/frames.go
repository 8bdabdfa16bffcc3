package pointpainting

import (
	"sync"

	"github.com/plumbline-ml/plumbline/datasets/waymo"
)

// drawn are frames that are drawn when they are asked for: what is known of each is drawn once.
type drawn struct {
	waymo.Source
	frames []func() *waymo.Frame
}

func keep(s waymo.Source) *drawn {
	d := &drawn{Source: s}
	for i := range s.Len() {
		d.frames = append(d.frames, sync.OnceValue(func() *waymo.Frame { return s.Frame(i) }))
	}
	return d
}

func (d *drawn) Frame(i int) *waymo.Frame { return d.frames[i]() }
