package pair

// The computation of the ONNX files, for servers and backends in tests. The weights are those of make_models.py.
var (
	w = [width][hidden]float32{{1, 0, -1}, {2, 1, 0}, {0, 3, 1}, {1, 1, 1}}
	v = [hidden]float32{1, 2, -1}
)

// Input returns the numbers of sample i.
func Input(i int) (x [width]float32) {
	for k := range x {
		x[k] = float32(i>>(2*k)&3) / 2
	}
	return x
}

// Encode computes the encoder's output for one sample.
func Encode(x [width]float32) (h [hidden]float32) {
	for i, value := range x {
		for k := range h {
			h[k] += value * w[i][k]
		}
	}
	return h
}

// Step computes one run of the decoder for one sample.
func Step(h, state [hidden]float32) (y float32, next [hidden]float32) {
	for k := range h {
		next[k] = state[k]/2 + h[k]
		y += next[k] * v[k]
	}
	return y, next
}
