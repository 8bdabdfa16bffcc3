package articles

import "github.com/plumbline-ml/plumbline/internal/draw"

func random(seed uint64) *draw.Random { return draw.NewRandom(seed) }
