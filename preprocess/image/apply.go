package image

// recipeScratch contains the memory of one call of Apply or FromBytes.
type recipeScratch struct {
	decoder   pictureDecoder
	img, crop RGB
	resizer   pictureResizer
}

// Apply writes the preprocessed img to dst, whose length must be r.Len(). It is safe for concurrent use and does not
// change img.
func (r Recipe) Apply(dst []float32, img *RGB) error {
	if err := r.checkBuffer(dst); err != nil {
		return err
	}
	if err := img.checkFields(); err != nil {
		return err
	}
	s := r.pool.Get().(*recipeScratch)
	defer r.pool.Put(s)
	r.applyWith(dst, img, s)
	return nil
}

// FromBytes decodes a picture file and applies the recipe. It is faster than Decode followed by Apply and returns the
// errors of both. It is safe for concurrent use and does not change data.
func (r Recipe) FromBytes(dst []float32, data []byte, o DecodeOptions) error {
	if err := r.checkBuffer(dst); err != nil {
		return err
	}
	s := r.pool.Get().(*recipeScratch)
	defer r.pool.Put(s)
	return r.fromBytes(dst, data, o, s)
}

func (r Recipe) fromBytes(dst []float32, data []byte, o DecodeOptions, s *recipeScratch) error {
	if err := s.decoder.decodeInto(&s.img, data, o, r.sourceRegion); err != nil {
		return err
	}
	r.applyWith(dst, &s.img, s)
	return nil
}

func (r Recipe) applyWith(dst []float32, img *RGB, s *recipeScratch) {
	s.crop.setSize(r.size, r.size)
	s.resizer.resizeWindow(&s.crop, img, r.cropWindow(img.W, img.H), r.filter)
	if r.layout == NHWC {
		r.levels.storeInterleaved(dst, s.crop.Pix)
	} else {
		r.levels.storePlanes(dst, s.crop.Pix)
	}
}

// storeInterleaved stores the values of pix pixel by pixel.
func (l *channelLevels) storeInterleaved(dst []float32, pix []uint8) {
	r, g, b := l.sourceChannel[0], l.sourceChannel[1], l.sourceChannel[2]
	for i := 0; i+2 < len(dst); i += channels {
		p, out := pix[i:][:channels], dst[i:][:channels]
		out[0], out[1], out[2] = l.values[0][p[r]], l.values[1][p[g]], l.values[2][p[b]]
	}
}

// storePlanes stores the values of pix channel by channel.
func (l *channelLevels) storePlanes(dst []float32, pix []uint8) {
	n := len(dst) / channels
	for c, from := range l.sourceChannel {
		value, out := &l.values[c], dst[c*n:][:n]
		for i := range out {
			out[i] = value[pix[channels*i+from]]
		}
	}
}
