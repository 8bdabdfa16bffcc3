package volume

// interpolateImage fills dst with the resampled image. Each value is interpolated between eight neighbours and passed
// through finish.
//
// For identical results, products and sums are in scipy's order and in float64. A neighbour is multiplied by its
// weights along depth, height and width in turn, and the eight products are added with width varying fastest.
// Intermediate results that depend only on depth and height are computed once per row.
func (p *resamplePlan) interpolateImage(dst, image []float32, minValue float32, finish func(float32) float32) {
	shape := p.resultShape()
	fill := finish(minValue)
	splitRange(shape[0]*shape[1], func(from, to int) {
		r := newSourceRows(p.from[2])
		for line := from; line < to; line++ {
			z, y := &p.axes[0][line/shape[1]], &p.axes[1][line%shape[1]]
			out := dst[line*shape[2]:][:shape[2]]
			switch max(z.kind, y.kind) {
			case inside:
				r.weighRows(image, p.from, z, y)
				r.interpolateRow(out, p.axes[2], fill, finish)
			default:
				fillConstant(out, p.axes[2], max(z.kind, y.kind), fill)
			}
		}
	})
}

// fillConstant fills the values of a row that have no source with the minimum or with padding.
func fillConstant(out []float32, a axisTaps, k tapKind, fill float32) {
	for x := range out {
		out[x] = fill
		if k == padding || a[x].kind == padding {
			out[x] = paddingValue
		}
	}
}

// sourceRows contains the four source rows around a row of the result, weighted by depth and height.
type sourceRows struct{ weightedRows [4][]float64 }

func newSourceRows(width int) *sourceRows {
	r := &sourceRows{}
	for i := range r.weightedRows {
		r.weightedRows[i] = make([]float64, width)
	}
	return r
}

func (r *sourceRows) weighRows(image []float32, from Shape, z, y *axisTap) {
	for i := range r.weightedRows {
		iz, wz := z.neighbour(i >> 1)
		iy, wy := y.neighbour(i & 1)
		if iz >= from[0] || iy >= from[1] { // has no weight
			clear(r.weightedRows[i])
			continue
		}
		row := image[(iz*from[1]+iy)*from[2]:][:from[2]]
		for x, v := range row {
			r.weightedRows[i][x] = float64(v) * wz * wy
		}
	}
}

// neighbour returns the source index and the weight of the nearer (0) or farther (1) neighbour.
func (t *axisTap) neighbour(i int) (int, float64) {
	if i == 0 {
		return t.sourceIndex, t.nearWeight
	}
	return t.sourceIndex + 1, t.farWeight
}

func (r *sourceRows) interpolateRow(out []float32, a axisTaps, fill float32, finish func(float32) float32) {
	last := len(r.weightedRows[0]) - 1
	for x := range out {
		t := &a[x]
		switch t.kind {
		case inside:
			sum, far := 0.0, min(t.sourceIndex+1, last)
			for i := range r.weightedRows {
				// The conversions prevent the compiler from fusing product and sum, whose rounding would differ.
				sum += float64(r.weightedRows[i][t.sourceIndex] * t.nearWeight)
				sum += float64(r.weightedRows[i][far] * t.farWeight)
			}
			out[x] = finish(float32(sum))
		case outside:
			out[x] = fill
		case padding:
			out[x] = paddingValue
		}
	}
}

// pickNearest fills dst with the nearest labels. Outside of the source it uses the smallest label, the background.
func (p *resamplePlan) pickNearest(dst, labels []uint8) {
	shape := p.resultShape()
	minValue := labels[0]
	for _, v := range labels {
		minValue = min(minValue, v)
	}
	splitRange(shape[0]*shape[1], func(from, to int) {
		for line := from; line < to; line++ {
			z, y := &p.axes[0][line/shape[1]], &p.axes[1][line%shape[1]]
			out := dst[line*shape[2]:][:shape[2]]
			row := labels[(z.nearestIndex*p.from[1]+y.nearestIndex)*p.from[2]:][:p.from[2]]
			for x := range out {
				t := &p.axes[2][x]
				switch max(z.kind, y.kind, t.kind) {
				case inside:
					out[x] = row[t.nearestIndex]
				case outside:
					out[x] = minValue
				case padding:
					out[x] = 0
				}
			}
		}
	})
}
