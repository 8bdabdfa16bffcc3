package image

// scratch is the memory of one Apply or FromBytes in progress.
type scratch struct {
	decoder   decoder
	img, crop RGB
	resizer   resizer
}

// Apply writes the preprocessed img to dst, which has length r.Len(). It is safe for concurrent use; img is only read.
func (r Recipe) Apply(dst []float32, img *RGB) error {
	if err := r.check(dst); err != nil {
		return err
	}
	if err := img.check(); err != nil {
		return err
	}
	s := r.pool.Get().(*scratch)
	defer r.pool.Put(s)
	r.apply(dst, img, s)
	return nil
}

// FromBytes decodes a picture file and applies the recipe, with less work than Decode and Apply one after the other.
// Its errors are those of both. It is safe for concurrent use; data is only read.
func (r Recipe) FromBytes(dst []float32, data []byte, o DecodeOptions) error {
	if err := r.check(dst); err != nil {
		return err
	}
	s := r.pool.Get().(*scratch)
	defer r.pool.Put(s)
	return r.fromBytes(dst, data, o, s)
}

func (r Recipe) fromBytes(dst []float32, data []byte, o DecodeOptions, s *scratch) error {
	if err := s.decoder.decode(&s.img, data, o, r.source); err != nil {
		return err
	}
	r.apply(dst, &s.img, s)
	return nil
}

func (r Recipe) apply(dst []float32, img *RGB, s *scratch) {
	s.crop.resize(r.size, r.size)
	s.resizer.resize(&s.crop, img, r.window(img.W, img.H), r.filter)
	if r.layout == NHWC {
		r.levels.interleaved(dst, s.crop.Pix)
	} else {
		r.levels.planes(dst, s.crop.Pix)
	}
}

// interleaved stores the values of pix pixel by pixel.
func (l *levels) interleaved(dst []float32, pix []uint8) {
	r, g, b := l.source[0], l.source[1], l.source[2]
	for i := 0; i+2 < len(dst); i += channels {
		p, out := pix[i:][:channels], dst[i:][:channels]
		out[0], out[1], out[2] = l.value[0][p[r]], l.value[1][p[g]], l.value[2][p[b]]
	}
}

// planes stores the values of pix channel by channel.
func (l *levels) planes(dst []float32, pix []uint8) {
	n := len(dst) / channels
	for c, from := range l.source {
		value, out := &l.value[c], dst[c*n:][:n]
		for i := range out {
			out[i] = value[pix[channels*i+from]]
		}
	}
}
