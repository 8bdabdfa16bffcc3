package rnnt

import (
	"context"
	"errors"
	"slices"

	"github.com/plumbline-ml/plumbline/preprocess/audio"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// part is a session whose runs a function makes.
type part struct {
	backend.Session
	inputs, outputs []backend.TensorInfo
	run             func(in []backend.Tensor) ([]backend.Tensor, error)
	rows            []int // of each run
	inUse           int   // outputs that were not released
}

func (p *part) Inputs() []backend.TensorInfo  { return p.inputs }
func (p *part) Outputs() []backend.TensorInfo { return p.outputs }

func (p *part) Run(_ context.Context, in, out []backend.Tensor) error {
	made, err := p.run(in)
	if err != nil {
		return err
	}
	for i, t := range made {
		p.inUse++
		t.Free = func() { p.inUse-- }
		out[i] = t
	}
	return nil
}

// model is a small model in Go. Its encoder's frames are of two values, of which the first tells what is heard.
type model struct {
	encoder, prediction, joint part

	// padding is what the first layers make of a frame behind a clip's end: 0 where the encoder masks it.
	padding float32
	crowd   bool    // frames depend on how many clips share a run
	pairs   bool    // the encoder takes even lengths alone
	rows    int64   // of the embedding
	score   float32 // added to all scores
}

// newModel is a model in which nothing is wrong.
func newModel() *model {
	m := &model{rows: startSymbol + 1}
	p := referenceParts()
	m.encoder = part{inputs: p[0].inputs, outputs: p[0].outputs, run: m.encode}
	m.prediction = part{inputs: p[1].inputs, outputs: p[1].outputs, run: m.predict}
	m.joint = part{inputs: p[2].inputs, outputs: p[2].outputs, run: m.join}
	for _, i := range []int{1, 2} {
		m.prediction.inputs[i].Shape = []int64{2, -1, 3}
		m.prediction.outputs[i].Shape = []int64{2, -1, 3}
	}
	m.prediction.outputs[0].Shape[2] = 1
	m.joint.inputs[0].Shape[2], m.joint.inputs[1].Shape[2] = 2, 1
	return m
}

func (m *model) sessions() sdk.Sessions {
	return sdk.Sessions{encoderPart: &m.encoder, predictionPart: &m.prediction, jointPart: &m.joint}
}

// encode sums the first feature of two frames, and those before it with a weight that falls.
func (m *model) encode(in []backend.Tensor) ([]backend.Tensor, error) {
	frames, clips := int(in[0].Shape[0]), int(in[0].Shape[1])
	if m.pairs && frames%2 == 1 {
		return nil, errors.New("cannot reshape")
	}
	m.encoder.rows = append(m.encoder.rows, clips)
	x, lengths := backend.View[float32](in[0].Data), backend.View[int64](in[1].Data)
	made := encodedFrames(frames)
	out, lens := make([]float32, clips*made*2), make([]int32, clips)
	for c := range clips {
		memory := float32(0)
		for t := range 2 * made {
			v := float32(0) // of the frame that is added to an odd number
			switch {
			case t < int(lengths[c]):
				v = x[(t*clips+c)*audio.RNNTWidth]
			case t < frames:
				v = m.padding
			}
			if memory = memory/2 + v; t%2 == 1 {
				out[(c*made+t/2)*2] = memory
			}
		}
		if m.crowd {
			out[c*made*2] += float32(clips)
		}
		lens[c] = int32(encodedFrames(int(lengths[c])))
	}
	return []backend.Tensor{
		floatTensor(out, int64(clips), int64(made), 2),
		{DType: backend.Int32, Shape: []int64{int64(clips)}, Data: backend.Bytes(lens)},
	}, nil
}

// predict counts symbols in the states, and says how many there are.
func (m *model) predict(in []backend.Tensor) ([]backend.Tensor, error) {
	symbols := backend.View[int64](in[0].Data)
	n := len(symbols)
	m.prediction.rows = append(m.prediction.rows, n)
	h, c := slices.Clone(backend.View[float32](in[1].Data)), slices.Clone(backend.View[float32](in[2].Data))
	g := make([]float32, n)
	for i, symbol := range symbols {
		if symbol >= m.rows {
			return nil, errors.New("Gather: index out of bounds")
		}
		h[(n+i)*3+1] += float32(symbol%7) + 1
		c[i*3+2]++
		g[i] = h[(n+i)*3+1] + 10*c[i*3+2]
	}
	return []backend.Tensor{
		floatTensor(g, int64(n), 1, 1), floatTensor(h, 2, int64(n), 3), floatTensor(c, 2, int64(n), 3),
	}, nil
}

// join has a symbol for each value of frame and prediction together, and more often the blank.
func (m *model) join(in []backend.Tensor) ([]backend.Tensor, error) {
	frames, g := backend.View[float32](in[0].Data), backend.View[float32](in[1].Data)
	m.joint.rows = append(m.joint.rows, len(g))
	scores := make([]float32, len(g)*scoredSymbols)
	for i := range g {
		symbol := (int(frames[2*i]*16)%40 + int(g[i])%31 + 80) % 40
		scores[i*scoredSymbols+min(symbol, blankSymbol)] = 1
		for k := range scoredSymbols {
			scores[i*scoredSymbols+k] += m.score
		}
	}
	return []backend.Tensor{floatTensor(scores, int64(len(g)), 1, 1, scoredSymbols)}, nil
}
