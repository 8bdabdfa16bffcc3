package jpeg

import (
	"math"
	"math/rand/v2"
	"testing"
)

// cosines is the inverse DCT by its definition (T.81 A.3.3), with the level shift, rounded and clamped.
func cosines(coef *[blockLen]int) (out [blockLen]uint8) {
	norm := func(u int) float64 {
		if u == 0 {
			return math.Sqrt2 / 2
		}
		return 1
	}
	for y := range blockSide {
		for x := range blockSide {
			sum := 0.0
			for v := range blockSide {
				for u := range blockSide {
					sum += norm(u) * norm(v) / 4 * float64(coef[blockSide*v+u]) *
						math.Cos(float64((2*x+1)*u)*math.Pi/16) * math.Cos(float64((2*y+1)*v)*math.Pi/16)
				}
			}
			out[blockSide*y+x] = clampSample(int(math.Round(sum + 128)))
		}
	}
	return out
}

func blockOf(coef *[blockLen]int) (b dctBlock) {
	for i, v := range coef {
		b[i/2] += int64(v) << (32 * (i & 1))
	}
	return b
}

func randomCoefficients(r *rand.Rand, count, size int) (coef [blockLen]int) {
	for range count {
		coef[r.IntN(blockLen)] = r.IntN(2*size+1) - size
	}
	return coef
}

func TestInverseAgainstDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 2000 {
		coef := randomCoefficients(r, 1+n%64, 1+n%1000)
		want := cosines(&coef)
		var got [blockLen]uint8
		b := blockOf(&coef)
		b.writeSamples(got[:], blockSide, blockLen)
		for i := range got {
			if d := int(got[i]) - int(want[i]); d > 1 || d < -1 {
				t.Fatalf("block %d sample %d: %d, want %d within 1; coefficients %v", n, i, got[i], want[i], coef)
			}
		}
	}
}

// TestHalvesAreIndependent shows that transforming two columns in one word is transforming each.
func TestHalvesAreIndependent(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		var low, high, joint [blockSide]int64
		for i := range low {
			low[i], high[i] = int64(r.IntN(1<<13)-1<<12), int64(r.IntN(1<<13)-1<<12)
			joint[i] = low[i] + high[i]<<32
		}
		l, h, j := transformed(low), transformed(high), transformed(joint)
		for i := range j {
			if j[i] != l[i]+h[i]<<32 {
				t.Fatalf("output %d: %#x, want %d and %d", i, j[i], l[i], h[i])
			}
		}
	}
}

func transformed(in [blockSide]int64) (out [blockSide]int64) {
	out[0], out[1], out[2], out[3], out[4], out[5], out[6], out[7] = inverseDCT(in[0], in[1], in[2], in[3], in[4],
		in[5], in[6], in[7], 0)
	return out
}

// TestSparseBlocks shows that the short ways give what the long way does.
func TestSparseBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for n := range 3000 {
		end := 1 + n%lowEnd
		var coef [blockLen]int
		for k := range end {
			coef[zigzag[k]] = r.IntN(4001) - 2000
		}
		b := blockOf(&coef)
		var short, long [blockLen]uint8
		b.writeSamples(short[:], blockSide, end)
		b.writeSamples(long[:], blockSide, blockLen)
		if short != long {
			t.Fatalf("%d coefficients %v: %v, want %v", end, coef, short, long)
		}
	}
}

func BenchmarkInverse(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	coef := randomCoefficients(r, 20, 60)
	blk := blockOf(&coef)
	var out [blockLen]uint8
	b.SetBytes(blockLen)
	b.ReportAllocs()
	for b.Loop() {
		blk.writeSamples(out[:], blockSide, blockLen)
	}
}
