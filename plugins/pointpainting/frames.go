package pointpainting

import (
	"sync"

	"github.com/plumbline-ml/plumbline/datasets/waymo"
)

// cachedFrames generates frames on demand and caches the metadata of each.
type cachedFrames struct {
	waymo.FrameSource
	frames []func() *waymo.Frame
}

func cacheFrames(s waymo.FrameSource) *cachedFrames {
	d := &cachedFrames{FrameSource: s}
	for i := range s.Len() {
		d.frames = append(d.frames, sync.OnceValue(func() *waymo.Frame { return s.Frame(i) }))
	}
	return d
}

func (d *cachedFrames) Frame(i int) *waymo.Frame { return d.frames[i]() }
