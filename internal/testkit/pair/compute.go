package pair

// What the ONNX files compute, for servers and backends of tests: weights as in make_models.py.
var (
	w = [width][hidden]float32{{1, 0, -1}, {2, 1, 0}, {0, 3, 1}, {1, 1, 1}}
	v = [hidden]float32{1, 2, -1}
)

// Input is the numbers of sample i.
func Input(i int) (x [width]float32) {
	for k := range x {
		x[k] = float32(i>>(2*k)&3) / 2
	}
	return x
}

// Encode is the encoder on one sample.
func Encode(x [width]float32) (h [hidden]float32) {
	for i, value := range x {
		for k := range h {
			h[k] += value * w[i][k]
		}
	}
	return h
}

// Step is one run of the decoder on one sample.
func Step(h, state [hidden]float32) (y float32, next [hidden]float32) {
	for k := range h {
		next[k] = state[k]/2 + h[k]
		y += next[k] * v[k]
	}
	return y, next
}
