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

// partSizes are the sizes of the parts, as their files say and as trying them shows.
type partSizes struct {
	bins           int   // of a frame of features
	symbols, blank int   // that are scored
	unknown        int64 // the symbol of an unknown word; below 0: none
	width          int   // of a frame of the encoder
	predicted      int   // of what the prediction network gives
	layers, hidden int   // of its state
	batches        encoderSharing
}

// probeParts checks the parts against each other, and tries them once: the files say sizes, and only a run tells
// whether the encoder takes all lengths, which clips it may read together, and whether the prediction network knows the
// start.
func probeParts(s sdk.Sessions, form *modelForm) (partSizes, error) {
	f, err := form.sizes(s)
	if err != nil {
		return f, err
	}
	p := partProber{encoder: encoderRun{session: s.Part(encoderPart), form: form, bins: f.bins}}
	if err := p.tryLengths(&f); err != nil {
		return f, err
	}
	if err := p.tryDecoding(form.network(s, f)); err != nil {
		return f, err
	}
	f.batches = p.trySharing()
	return f, nil
}

// declaredSizes reads the sizes that the files say, and names all that do not fit.
func declaredSizes(s sdk.Sessions) (partSizes, error) {
	prediction, joint := s.Part(predictionPart), s.Part(jointPart)
	state, takes := prediction.Inputs()[1].Shape, joint.Inputs()
	f := partSizes{
		bins: audio.RNNTWidth, symbols: scored, blank: blank, width: int(takes[0].Shape[2]),
		predicted: int(takes[1].Shape[2]), layers: int(state[0]), hidden: int(state[2]),
	}
	var faults partFaults
	faults.addUnless(f.layers > 0 && f.hidden > 0,
		"the state %q of the prediction network is %s: its layers and its width "+
			"must be fixed in the file", prediction.Inputs()[1].Name, backend.ShapeString(state))
	faults.addUnless(f.width > 0 && f.predicted > 0,
		"the joint network takes %s and %s: both widths must be fixed in the file",
		backend.ShapeString(takes[0].Shape), backend.ShapeString(takes[1].Shape))
	faults.checkFrames(s.Part(encoderPart).Outputs()[0].Shape[2], takes[0].Shape[2])
	faults.checkPredictions(prediction.Outputs()[0].Shape[2], takes[1].Shape[2])
	for i, other := range [][]int64{prediction.Inputs()[2].Shape, prediction.Outputs()[1].Shape,
		prediction.Outputs()[2].Shape} {
		faults.addUnless(canBeEqual(other[0], state[0]) && canBeEqual(other[2], state[2]),
			"the states of the prediction network differ: "+
				"%s, and number %d %s", backend.ShapeString(state), i+2, backend.ShapeString(other))
	}
	gives := joint.Outputs()[0].Shape[3]
	faults.addUnless(canBeEqual(gives, scored), "the joint network scores %d symbols, want %d: %d labels and the blank",
		gives, scored, labels)
	return f, errors.Join(faults...)
}

// partFaults lists what does not fit.
type partFaults []error

func (f *partFaults) addUnless(ok bool, format string, values ...any) {
	if !ok {
		*f = append(*f, fmt.Errorf("%w: "+format, append([]any{errParts}, values...)...))
	}
}

// checkFrames requires the joint network to take what the encoder gives.
func (f *partFaults) checkFrames(gives, takes int64) {
	f.addUnless(canBeEqual(gives, takes), "the encoder gives frames of %d values, the joint network takes %d", gives,
		takes)
}

// checkPredictions requires the joint network to take what the prediction network gives.
func (f *partFaults) checkPredictions(gives, takes int64) {
	f.addUnless(canBeEqual(gives, takes), "the prediction network gives %d values, the joint network takes %d", gives,
		takes)
}

// canBeEqual reports whether two sizes of a file can be equal.
func canBeEqual(a, b int64) bool { return a < 0 || b < 0 || a == b }

// partProber tries the parts.
type partProber struct {
	encoder encoderRun
	frame   []float32 // one of the encoder's
}

// sameFrames is how far the values of a frame, of size 1, may be apart by another order of sums.
const sameFrames = 1e-4

// probeClip returns a clip of some frames, of made-up features.
func probeClip(frames, bins int) clipFeatures {
	f := make(clipFeatures, frames*bins)
	for i := range f {
		f[i] = float32(math.Sin(float64(i%997) * float64(frames)))
	}
	return f
}

// probeClips returns clips of the lengths that are tried.
func (p *partProber) probeClips() (long, odd, short clipFeatures) {
	tried := p.encoder.form.trialLengths
	return probeClip(tried[0], p.encoder.bins), probeClip(tried[1], p.encoder.bins), probeClip(tried[2], p.encoder.bins)
}

// encodeCopy encodes clips in one run, and copies their frames.
func (p *partProber) encodeCopy(s encoderSharing, clips ...clipFeatures) ([][]float32, error) {
	defer p.encoder.releaseOutputs()
	p.encoder.sharing = s
	encoded := make([][]float32, len(clips))
	if err := p.encoder.encodeClips(context.Background(), clips, encoded); err != nil {
		return nil, err
	}
	for i := range encoded {
		encoded[i] = append([]float32(nil), encoded[i]...)
	}
	return encoded, nil
}

// tryLengths tries clips of an odd and of an even number of frames.
func (p *partProber) tryLengths(f *partSizes) error {
	long, odd, _ := p.probeClips()
	for _, c := range []clipFeatures{odd, long} {
		encoded, err := p.encodeCopy(alone, c)
		if err != nil {
			return fmt.Errorf("try the encoder on %d frames: %w", p.encoder.frameCount(c), err)
		}
		if width := p.frameWidth(); width != f.width {
			return fmt.Errorf("%w: the encoder gives frames of %d values, the joint network takes %d", errParts, width, f.width)
		}
		if len(encoded[0]) < f.width {
			return fmt.Errorf("%w: the encoder makes no frame of %d", errParts, p.encoder.frameCount(c))
		}
		p.frame = encoded[0][:f.width]
	}
	return nil
}

// frameWidth is the width of the frames of the last run.
func (p *partProber) frameWidth() int {
	shape := p.encoder.out[0].Shape
	if p.encoder.form.layout == widthFirst {
		return int(shape[1])
	}
	return int(shape[2])
}

// tryDecoding tries the first step of decoding.
func (p *partProber) tryDecoding(n symbolScorer) error {
	n.begin(1)
	_, err := n.scores(context.Background(), []int{0}, [][]float32{p.frame})
	if errors.Is(err, errStart) || err == nil {
		return err
	}
	return fmt.Errorf("try the first step of decoding: %w", err)
}

// trySharing tries clips together. Where the frames differ from those of each alone, or the encoder refuses, the clips
// do not share runs.
func (p *partProber) trySharing() encoderSharing {
	long, odd, short := p.probeClips()
	if p.sharesUnchanged(anyLength, []clipFeatures{long, odd, short}) {
		return anyLength
	}
	if p.encoder.form.layout == timeFirst && p.sharesUnchanged(evenLength, []clipFeatures{long, short}) {
		return evenLength
	}
	return alone
}

func (p *partProber) sharesUnchanged(s encoderSharing, clips []clipFeatures) bool {
	single, err1 := p.encodeCopy(alone, clips...)
	shared, err2 := p.encodeCopy(s, clips...)
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
