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

// errParts is wrapped by every error about parts that belong to different models or to another benchmark.
var errParts = errors.New("the model's parts do not fit")

// errStart is wrapped by the error about a prediction network that does not accept the start symbol.
var errStart = errors.New("the prediction network does not take the start, symbol 28, which stands for no symbol: " +
	"append a row of zeros to its embedding of 28 rows and export it again")

// partSizes contains the sizes of the parts, as declared in their files and found by probing.
type partSizes struct {
	bins            int   // values per feature frame
	symbols, blank  int   // number of scored symbols, and the blank symbol
	unknownSymbol   int64 // symbol of an unknown word; negative: none
	encoderWidth    int   // values per encoder frame
	predictionWidth int   // values per output of the prediction network
	layers, hidden  int   // sizes of the prediction network's state
	sharing         encoderSharing
}

// probeParts checks the parts against each other and runs them once. Files declare sizes, but only a run shows whether
// the encoder accepts all lengths, which clips can share its runs, and whether the prediction network accepts the start
// symbol.
func probeParts(s sdk.Sessions, form *modelForm) (partSizes, error) {
	f, err := form.readSizes(s)
	if err != nil {
		return f, err
	}
	p := partProber{encoder: encoderRun{session: s.Part(encoderPart), form: form, bins: f.bins}}
	if err := p.probeLengths(&f); err != nil {
		return f, err
	}
	if err := p.probeDecoding(form.newScorer(s, f)); err != nil {
		return f, err
	}
	f.sharing = p.probeSharing()
	return f, nil
}

// declaredSizes returns the sizes that the files declare. The error lists all sizes that do not match.
func declaredSizes(s sdk.Sessions) (partSizes, error) {
	prediction, joint := s.Part(predictionPart), s.Part(jointPart)
	state, takes := prediction.Inputs()[1].Shape, joint.Inputs()
	f := partSizes{
		bins: audio.RNNTWidth, symbols: scoredSymbols, blank: blankSymbol, encoderWidth: int(takes[0].Shape[2]),
		predictionWidth: int(takes[1].Shape[2]), layers: int(state[0]), hidden: int(state[2]),
	}
	var faults partFaults
	faults.addFaultUnless(f.layers > 0 && f.hidden > 0,
		"the state %q of the prediction network is %s: its layers and its width "+
			"must be fixed in the file", prediction.Inputs()[1].Name, backend.ShapeString(state))
	faults.addFaultUnless(f.encoderWidth > 0 && f.predictionWidth > 0,
		"the joint network takes %s and %s: both widths must be fixed in the file",
		backend.ShapeString(takes[0].Shape), backend.ShapeString(takes[1].Shape))
	faults.checkFrames(s.Part(encoderPart).Outputs()[0].Shape[2], takes[0].Shape[2])
	faults.checkPredictions(prediction.Outputs()[0].Shape[2], takes[1].Shape[2])
	for i, other := range [][]int64{prediction.Inputs()[2].Shape, prediction.Outputs()[1].Shape,
		prediction.Outputs()[2].Shape} {
		faults.addFaultUnless(canBeEqual(other[0], state[0]) && canBeEqual(other[2], state[2]),
			"the states of the prediction network differ: "+
				"%s, and number %d %s", backend.ShapeString(state), i+2, backend.ShapeString(other))
	}
	gives := joint.Outputs()[0].Shape[3]
	faults.addFaultUnless(canBeEqual(gives, scoredSymbols),
		"the joint network scores %d symbols, want %d: %d labels and the blank",
		gives, scoredSymbols, labelCount)
	return f, errors.Join(faults...)
}

// partFaults collects mismatches between parts.
type partFaults []error

func (f *partFaults) addFaultUnless(ok bool, format string, values ...any) {
	if !ok {
		*f = append(*f, fmt.Errorf("%w: "+format, append([]any{errParts}, values...)...))
	}
}

// checkFrames requires the joint network's input to match the encoder's output.
func (f *partFaults) checkFrames(gives, takes int64) {
	f.addFaultUnless(canBeEqual(gives, takes), "the encoder gives frames of %d values, the joint network takes %d", gives,
		takes)
}

// checkPredictions requires the joint network's input to match the prediction network's output.
func (f *partFaults) checkPredictions(gives, takes int64) {
	f.addFaultUnless(canBeEqual(gives, takes), "the prediction network gives %d values, the joint network takes %d", gives,
		takes)
}

// canBeEqual reports whether two declared sizes can be equal. Negative sizes are free.
func canBeEqual(a, b int64) bool { return a < 0 || b < 0 || a == b }

// partProber runs the parts to probe them.
type partProber struct {
	encoder encoderRun
	frame   []float32 // a frame of the encoder's output
}

// frameTolerance is the tolerance for values of magnitude 1 that were summed in a different order.
const frameTolerance = 1e-4

// probeClip returns a clip with the given number of frames and generated features.
func probeClip(frames, bins int) clipFeatures {
	f := make(clipFeatures, frames*bins)
	for i := range f {
		f[i] = float32(math.Sin(float64(i%997) * float64(frames)))
	}
	return f
}

// probeClips returns clips of the lengths to probe.
func (p *partProber) probeClips() (long, odd, short clipFeatures) {
	tried := p.encoder.form.trialLengths
	return probeClip(tried[0], p.encoder.bins), probeClip(tried[1], p.encoder.bins), probeClip(tried[2], p.encoder.bins)
}

// encodeCopy encodes clips in one run and copies their frames.
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

// probeLengths encodes clips with an odd and with an even number of frames.
func (p *partProber) probeLengths(f *partSizes) error {
	long, odd, _ := p.probeClips()
	for _, c := range []clipFeatures{odd, long} {
		encoded, err := p.encodeCopy(noSharing, c)
		if err != nil {
			return fmt.Errorf("try the encoder on %d frames: %w", p.encoder.frameCount(c), err)
		}
		if width := p.frameWidth(); width != f.encoderWidth {
			return fmt.Errorf("%w: the encoder gives frames of %d values, the joint network takes %d", errParts, width,
				f.encoderWidth)
		}
		if len(encoded[0]) < f.encoderWidth {
			return fmt.Errorf("%w: the encoder makes no frame of %d", errParts, p.encoder.frameCount(c))
		}
		p.frame = encoded[0][:f.encoderWidth]
	}
	return nil
}

// frameWidth returns the width of the frames in the last run.
func (p *partProber) frameWidth() int {
	shape := p.encoder.outputs[0].Shape
	if p.encoder.form.layout == widthFirst {
		return int(shape[1])
	}
	return int(shape[2])
}

// probeDecoding runs the first step of decoding.
func (p *partProber) probeDecoding(n symbolScorer) error {
	n.startHypotheses(1)
	_, err := n.scoreSymbols(context.Background(), []int{0}, [][]float32{p.frame})
	if errors.Is(err, errStart) || err == nil {
		return err
	}
	return fmt.Errorf("try the first step of decoding: %w", err)
}

// probeSharing encodes clips together. If the encoder fails, or the frames differ from those of separate runs, clips do
// not share runs.
func (p *partProber) probeSharing() encoderSharing {
	long, odd, short := p.probeClips()
	if p.isSharingExact(anyLengthSharing, []clipFeatures{long, odd, short}) {
		return anyLengthSharing
	}
	if p.encoder.form.layout == timeFirst && p.isSharingExact(evenLengthSharing, []clipFeatures{long, short}) {
		return evenLengthSharing
	}
	return noSharing
}

func (p *partProber) isSharingExact(s encoderSharing, clips []clipFeatures) bool {
	single, err1 := p.encodeCopy(noSharing, clips...)
	shared, err2 := p.encodeCopy(s, clips...)
	if err1 != nil || err2 != nil {
		return false
	}
	for i := range single {
		if len(single[i]) != len(shared[i]) {
			return false
		}
		for j, v := range single[i] {
			if math.Abs(float64(v-shared[i][j])) > frameTolerance*max(1, math.Abs(float64(v))) {
				return false
			}
		}
	}
	return true
}
