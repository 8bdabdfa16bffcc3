package rnnt

import (
	"github.com/plumbline-ml/plumbline/preprocess/audio"
	"github.com/plumbline-ml/plumbline/sdk"
)

// featureExtractor computes features [frames, width] of a waveform.
type featureExtractor interface {
	Append(dst, samples []float32) ([]float32, error)
}

// modelForm describes a kind of export: its tensors, features, and rules of decoding.
type modelForm struct {
	name   string
	parts  func() []partTensors
	layout featureLayout
	// encodedFrames returns the number of frames that the encoder makes of n frames. nil: unknown before a run.
	encodedFrames func(n int) int
	// trialLengths contains the lengths for probing the encoder: a long one, an odd one, and a shorter one.
	trialLengths [3]int
	maxSymbols   int // maximum number of symbols per frame

	// readSizes returns the sizes that the files declare. Its error lists all mismatches.
	readSizes    func(s sdk.Sessions) (partSizes, error)
	newScorer    func(s sdk.Sessions, f partSizes) symbolScorer
	newExtractor func(width int) featureExtractor
	// openReason is the reason why a run belongs to the open division. Empty: the form is the reference's.
	openReason string
}

// modelForms returns the forms by name.
func modelForms() map[string]*modelForm {
	reference := &modelForm{
		parts: referenceParts, layout: timeFirst, encodedFrames: encodedFrames, trialLengths: [3]int{10, 7, 6},
		maxSymbols: 30,
		readSizes:  declaredSizes, newScorer: newReferenceNetwork,
		newExtractor: func(int) featureExtractor { return audio.NewRNNT() },
	}
	nemo := &modelForm{
		parts: nemoParts, layout: widthFirst, trialLengths: [3]int{120, 75, 64}, maxSymbols: 10,
		readSizes: nemoSizes, newScorer: newNeMoNetwork,
		newExtractor: func(n int) featureExtractor { return audio.NewNeMo(n) },
		openReason:   "the model has the form of NeMo's exports (interface=nemo), with features and tokens of its own",
	}
	icefall := &modelForm{
		parts: icefallParts, layout: clipFirst, trialLengths: [3]int{120, 75, 64}, maxSymbols: 1,
		readSizes: icefallSizes, newScorer: newIcefallNetwork,
		newExtractor: func(n int) featureExtractor { return audio.NewKaldi(n) },
		openReason:   "the model has the form of icefall's exports (interface=icefall), with features and tokens of its own",
	}
	all := map[string]*modelForm{"reference": reference, "nemo": nemo, "icefall": icefall}
	for name, f := range all {
		f.name = name
	}
	return all
}

// featureLayout is the order of dimensions in an encoder's input and output.
type featureLayout uint8

const (
	timeFirst  featureLayout = iota // features [frames, clips, width] to frames [clips, frames, width]
	widthFirst                      // [clips, width, frames] to [clips, width, frames]
	clipFirst                       // [clips, frames, width] to [clips, frames, width]
)

// tensorShape returns the shape of the features.
func (l featureLayout) tensorShape(clips, frames, width int) []int64 {
	c, t, w := int64(clips), int64(frames), int64(width)
	return [...][]int64{timeFirst: {t, c, w}, widthFirst: {c, w, t}, clipFirst: {c, t, w}}[l]
}

// frameStart returns the index of the first value of a clip's frame t, and the distance between the values of the
// frame.
func (l featureLayout) frameStart(clip, clips, t, frames, width int) (first, step int) {
	switch l {
	case timeFirst:
		return (t*clips + clip) * width, 1
	case widthFirst:
		return clip*width*frames + t, frames
	}
	return (clip*frames + t) * width, 1
}
