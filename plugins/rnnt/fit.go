package rnnt

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/plumbline-ml/plumbline/preprocess/audio"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// errParts is in the chain of every error about parts that are not of one model, or not of this benchmark's.
var errParts = errors.New("the model's parts do not fit")

// fit is what the parts are by their files and by trying them.
type fit struct {
	width          int // of a frame of the encoder
	predicted      int // of what the prediction network gives
	layers, hidden int // of its state
	batches        sharing
}

// probe holds the parts against each other, and tries them once: the files say sizes, and only a run tells whether the
// encoder takes all lengths, which clips it may read together, and whether the prediction network knows the start.
func probe(s sdk.Sessions) (fit, error) {
	f, err := declared(s)
	if err != nil {
		return f, err
	}
	p := prober{encoder: encoder{session: s.Part(encoderPart)}}
	if err := p.lengths(&f); err != nil {
		return f, err
	}
	if err := p.decodes(&network{prediction: s.Part(predictionPart), joint: s.Part(jointPart), fit: f}); err != nil {
		return f, err
	}
	f.batches = p.sharing()
	return f, nil
}

// declared reads the sizes that the files say, and names all that do not fit.
func declared(s sdk.Sessions) (fit, error) {
	prediction, joint := s.Part(predictionPart), s.Part(jointPart)
	state, takes := prediction.Inputs()[1].Shape, joint.Inputs()
	f := fit{
		width: int(takes[0].Shape[2]), predicted: int(takes[1].Shape[2]), layers: int(state[0]), hidden: int(state[2]),
	}
	var faults []error
	want := func(ok bool, format string, values ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf("%w: "+format, append([]any{errParts}, values...)...))
		}
	}
	want(f.layers > 0 && f.hidden > 0, "the state %q of the prediction network is %s: its layers and its width must be "+
		"fixed in the file", prediction.Inputs()[1].Name, backend.ShapeString(state))
	want(f.width > 0 && f.predicted > 0, "the joint network takes %s and %s: both widths must be fixed in the file",
		backend.ShapeString(takes[0].Shape), backend.ShapeString(takes[1].Shape))
	gives := s.Part(encoderPart).Outputs()[0].Shape[2]
	want(agree(gives, takes[0].Shape[2]), "the encoder gives frames of %d values, the joint network takes %d", gives,
		takes[0].Shape[2])
	gives = prediction.Outputs()[0].Shape[2]
	want(agree(gives, takes[1].Shape[2]), "the prediction network gives %d values, the joint network takes %d", gives,
		takes[1].Shape[2])
	for i, other := range [][]int64{prediction.Inputs()[2].Shape, prediction.Outputs()[1].Shape, prediction.Outputs()[2].Shape} {
		want(agree(other[0], state[0]) && agree(other[2], state[2]), "the states of the prediction network differ: %s, and "+
			"number %d %s", backend.ShapeString(state), i+2, backend.ShapeString(other))
	}
	gives = joint.Outputs()[0].Shape[3]
	want(agree(gives, scored), "the joint network scores %d symbols, want %d: %d labels and the blank", gives, scored, labels)
	return f, errors.Join(faults...)
}

// agree reports whether two sizes of a file can be equal.
func agree(a, b int64) bool { return a < 0 || b < 0 || a == b }

// prober tries the parts.
type prober struct {
	encoder encoder
	frame   []float32 // one of the encoder's
}

// Lengths that are tried: an odd and an even one, and the odd one with longer and shorter ones beside it.
const (
	oddLength  = 7
	evenLess   = 6
	evenMore   = 10
	sameFrames = 1e-4 // how far the values of a frame, of size 1, may be apart by another order of sums
)

// clip is one of so many frames, of made-up features.
func clip(frames int) features {
	f := make(features, frames*audio.RNNTWidth)
	for i := range f {
		f[i] = float32(math.Sin(float64(i%997) * float64(frames)))
	}
	return f
}

// encode are the encoder's frames of clips in one run, copied.
func (p *prober) encode(s sharing, clips ...features) ([][]float32, error) {
	defer p.encoder.release()
	p.encoder.sharing = s
	encoded := make([][]float32, len(clips))
	if err := p.encoder.run(context.Background(), clips, encoded); err != nil {
		return nil, err
	}
	for i := range encoded {
		encoded[i] = append([]float32(nil), encoded[i]...)
	}
	return encoded, nil
}

// lengths tries clips of an odd and of an even number of frames.
func (p *prober) lengths(f *fit) error {
	for _, frames := range []int{oddLength, evenMore} {
		encoded, err := p.encode(alone, clip(frames))
		if err != nil {
			return fmt.Errorf("try the encoder on %d frames: %w", frames, err)
		}
		if width := len(encoded[0]) / encodedFrames(frames); width != f.width {
			return fmt.Errorf("%w: the encoder gives frames of %d values, the joint network takes %d", errParts, width, f.width)
		}
		p.frame = encoded[0][:f.width]
	}
	return nil
}

// decodes tries the first step of decoding, two hypotheses at a time as in a run.
func (p *prober) decodes(n *network) error {
	n.begin(1)
	hypothesis := []int{0}
	if err := n.predict(context.Background(), hypothesis); err != nil {
		return fmt.Errorf("%w: the prediction network does not take the start, symbol %d, which stands for no symbol: append "+
			"a row of zeros to its embedding of %d rows and export it again: %w", errParts, start, labels, err)
	}
	_, err := n.scores(context.Background(), hypothesis, [][]float32{p.frame})
	if err != nil {
		return fmt.Errorf("try the joint network: %w", err)
	}
	return nil
}

// sharing tries clips together. Where the frames differ from those of each alone, or the encoder refuses, the clips do
// not share runs.
func (p *prober) sharing() sharing {
	for _, try := range []struct {
		s     sharing
		clips []features
	}{
		{anyLength, []features{clip(evenMore), clip(oddLength), clip(evenLess)}},
		{evenLength, []features{clip(evenMore), clip(evenLess)}},
	} {
		if p.unchanged(try.s, try.clips) {
			return try.s
		}
	}
	return alone
}

func (p *prober) unchanged(s sharing, clips []features) bool {
	single, err1 := p.encode(alone, clips...)
	shared, err2 := p.encode(s, clips...)
	if err1 != nil || err2 != nil {
		return false
	}
	for i := range single {
		for j, v := range single[i] {
			if math.Abs(float64(v-shared[i][j])) > sameFrames*max(1, math.Abs(float64(v))) {
				return false
			}
		}
	}
	return true
}
