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

// errStart is in the chain of the error about a prediction network that does not know the start.
var errStart = errors.New("the prediction network does not take the start, symbol 28, which stands for no symbol: " +
	"append a row of zeros to its embedding of 28 rows and export it again")

// fit is what the parts are by their files and by trying them.
type fit struct {
	bins           int   // of a frame of features
	symbols, blank int   // that are scored
	unknown        int64 // the symbol of an unknown word; below 0: none
	width          int   // of a frame of the encoder
	predicted      int   // of what the prediction network gives
	layers, hidden int   // of its state
	batches        sharing
}

// probe holds the parts against each other, and tries them once: the files say sizes, and only a run tells whether the
// encoder takes all lengths, which clips it may read together, and whether the prediction network knows the start.
func probe(s sdk.Sessions, form *form) (fit, error) {
	f, err := form.sizes(s)
	if err != nil {
		return f, err
	}
	p := prober{encoder: encoder{session: s.Part(encoderPart), form: form, bins: f.bins}}
	if err := p.lengths(&f); err != nil {
		return f, err
	}
	if err := p.decodes(form.network(s, f)); err != nil {
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
		bins: audio.RNNTWidth, symbols: scored, blank: blank, width: int(takes[0].Shape[2]),
		predicted: int(takes[1].Shape[2]), layers: int(state[0]), hidden: int(state[2]),
	}
	var faults faults
	faults.want(f.layers > 0 && f.hidden > 0, "the state %q of the prediction network is %s: its layers and its width "+
		"must be fixed in the file", prediction.Inputs()[1].Name, backend.ShapeString(state))
	faults.want(f.width > 0 && f.predicted > 0, "the joint network takes %s and %s: both widths must be fixed in the file",
		backend.ShapeString(takes[0].Shape), backend.ShapeString(takes[1].Shape))
	faults.frames(s.Part(encoderPart).Outputs()[0].Shape[2], takes[0].Shape[2])
	faults.predictions(prediction.Outputs()[0].Shape[2], takes[1].Shape[2])
	for i, other := range [][]int64{prediction.Inputs()[2].Shape, prediction.Outputs()[1].Shape,
		prediction.Outputs()[2].Shape} {
		faults.want(agree(other[0], state[0]) && agree(other[2], state[2]), "the states of the prediction network differ: "+
			"%s, and number %d %s", backend.ShapeString(state), i+2, backend.ShapeString(other))
	}
	gives := joint.Outputs()[0].Shape[3]
	faults.want(agree(gives, scored), "the joint network scores %d symbols, want %d: %d labels and the blank",
		gives, scored, labels)
	return f, errors.Join(faults...)
}

// faults are what does not fit.
type faults []error

func (f *faults) want(ok bool, format string, values ...any) {
	if !ok {
		*f = append(*f, fmt.Errorf("%w: "+format, append([]any{errParts}, values...)...))
	}
}

// frames wants the joint network to take what the encoder gives.
func (f *faults) frames(gives, takes int64) {
	f.want(agree(gives, takes), "the encoder gives frames of %d values, the joint network takes %d", gives, takes)
}

// predictions wants the joint network to take what the prediction network gives.
func (f *faults) predictions(gives, takes int64) {
	f.want(agree(gives, takes), "the prediction network gives %d values, the joint network takes %d", gives, takes)
}

// agree reports whether two sizes of a file can be equal.
func agree(a, b int64) bool { return a < 0 || b < 0 || a == b }

// prober tries the parts.
type prober struct {
	encoder encoder
	frame   []float32 // one of the encoder's
}

// sameFrames is how far the values of a frame, of size 1, may be apart by another order of sums.
const sameFrames = 1e-4

// clip is one of so many frames, of made-up features.
func clip(frames, bins int) features {
	f := make(features, frames*bins)
	for i := range f {
		f[i] = float32(math.Sin(float64(i%997) * float64(frames)))
	}
	return f
}

// clips are those of the lengths that are tried.
func (p *prober) clips() (long, odd, short features) {
	tried := p.encoder.form.tried
	return clip(tried[0], p.encoder.bins), clip(tried[1], p.encoder.bins), clip(tried[2], p.encoder.bins)
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
	long, odd, _ := p.clips()
	for _, c := range []features{odd, long} {
		encoded, err := p.encode(alone, c)
		if err != nil {
			return fmt.Errorf("try the encoder on %d frames: %w", p.encoder.length(c), err)
		}
		if width := p.width(); width != f.width {
			return fmt.Errorf("%w: the encoder gives frames of %d values, the joint network takes %d", errParts, width, f.width)
		}
		if len(encoded[0]) < f.width {
			return fmt.Errorf("%w: the encoder makes no frame of %d", errParts, p.encoder.length(c))
		}
		p.frame = encoded[0][:f.width]
	}
	return nil
}

// width is that of the frames of the last run.
func (p *prober) width() int {
	shape := p.encoder.out[0].Shape
	if p.encoder.form.layout == widthFirst {
		return int(shape[1])
	}
	return int(shape[2])
}

// decodes tries the first step of decoding.
func (p *prober) decodes(n symbolScorer) error {
	n.begin(1)
	_, err := n.scores(context.Background(), []int{0}, [][]float32{p.frame})
	if errors.Is(err, errStart) || err == nil {
		return err
	}
	return fmt.Errorf("try the first step of decoding: %w", err)
}

// sharing tries clips together. Where the frames differ from those of each alone, or the encoder refuses, the clips do
// not share runs.
func (p *prober) sharing() sharing {
	long, odd, short := p.clips()
	if p.unchanged(anyLength, []features{long, odd, short}) {
		return anyLength
	}
	if p.encoder.form.layout == timeFirst && p.unchanged(evenLength, []features{long, short}) {
		return evenLength
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
		if len(single[i]) != len(shared[i]) {
			return false
		}
		for j, v := range single[i] {
			if math.Abs(float64(v-shared[i][j])) > sameFrames*max(1, math.Abs(float64(v))) {
				return false
			}
		}
	}
	return true
}
