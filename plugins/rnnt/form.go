package rnnt

import (
	"github.com/plumbline-ml/plumbline/preprocess/audio"
	"github.com/plumbline-ml/plumbline/sdk"
)

// featureExtractor makes features of a waveform: [frames, width].
type featureExtractor interface {
	Append(dst, samples []float32) ([]float32, error)
}

// modelForm is how the files of a model are made: its tensors, its features, and the rules of its decoding.
type modelForm struct {
	name   string
	parts  func() []partTensors
	layout featureLayout
	// frames is how many frames the encoder makes of so many, where that is known before.
	frames func(n int) int
	// tried are lengths that the encoder is tried on: a long one, one of odd length, and a shorter one.
	trialLengths [3]int
	maxSymbols   int // symbols in a frame

	// sizes reads what the files say, and names what does not fit.
	sizes     func(s sdk.Sessions) (partSizes, error)
	network   func(s sdk.Sessions, f partSizes) symbolScorer
	extractor func(width int) featureExtractor
	// foreign says why it is none of the closed division; empty: it is the reference's.
	openReason string
}

// modelForms returns the forms by name.
func modelForms() map[string]*modelForm {
	reference := &modelForm{
		parts: referenceParts, layout: timeFirst, frames: encodedFrames, trialLengths: [3]int{10, 7, 6}, maxSymbols: 30,
		sizes: declaredSizes, network: newReferenceNetwork,
		extractor: func(int) featureExtractor { return audio.NewRNNT() },
	}
	nemo := &modelForm{
		parts: nemoParts, layout: widthFirst, trialLengths: [3]int{120, 75, 64}, maxSymbols: 10,
		sizes: nemoSizes, network: newNeMo, extractor: func(n int) featureExtractor { return audio.NewNeMo(n) },
		openReason: "the model has the form of NeMo's exports (interface=nemo), with features and tokens of its own",
	}
	icefall := &modelForm{
		parts: icefallParts, layout: clipFirst, trialLengths: [3]int{120, 75, 64}, maxSymbols: 1,
		sizes: icefallSizes, network: newIcefall, extractor: func(n int) featureExtractor { return audio.NewKaldi(n) },
		openReason: "the model has the form of icefall's exports (interface=icefall), with features and tokens of its own",
	}
	all := map[string]*modelForm{"reference": reference, "nemo": nemo, "icefall": icefall}
	for name, f := range all {
		f.name = name
	}
	return all
}

// featureLayout is the order of the dimensions of the features that an encoder takes, and of the frames that it gives.
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

// frameStart returns where the values of frame t of a clip are among the features, and how far one is from the next.
func (l featureLayout) frameStart(clip, clips, t, frames, width int) (first, step int) {
	switch l {
	case timeFirst:
		return (t*clips + clip) * width, 1
	case widthFirst:
		return clip*width*frames + t, frames
	}
	return (clip*frames + t) * width, 1
}
