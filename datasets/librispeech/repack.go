package librispeech

import (
	"fmt"
	"path"
	"strings"
)

// Parameters of the repackaging of Whisper's data set.
const (
	packSeconds = 30.
	gapSeconds  = 0.5
	GapSamples  = SampleRate / 2 // number of silent samples between the clips of a pack
)

// ClipPack is a clip made from several clips. GapSamples of silence separate their samples, and a blank separates their
// transcripts.
type ClipPack struct {
	AudioClip
	ClipIndices []int // indices of the clips in the list
}

// PackClips plans the packs of clips in the way of the official repackaging. A pack contains consecutive clips of
// one speaker's chapter, up to 30 s. Chapters are in the order of their first clip. Clips longer than 30 s are left
// out. Every clip's Samples must be set. Packs are named OUT/SPEAKER-CHAPTER_N.wav.
//
// Like the official program, it adds up durations as float64 seconds. This decides about clips that just fit.
func PackClips(clips []AudioClip, out string) []ClipPack {
	var order []string
	chapters := make(map[string][]int)
	for i, c := range clips {
		key := chapterName(c.Path)
		if chapters[key] == nil {
			order = append(order, key)
		}
		chapters[key] = append(chapters[key], i)
	}
	var packs []ClipPack
	for _, key := range order {
		for n, of := range groupClips(clips, chapters[key]) {
			packs = append(packs, joinClips(clips, of, path.Join(out, fmt.Sprintf("%s_%d.wav", key, n))))
		}
	}
	return packs
}

// chapterName returns the first two parts of a file's name: speaker and chapter.
func chapterName(file string) string {
	base := path.Base(file)
	parts := strings.SplitN(strings.TrimSuffix(base, path.Ext(base)), "-", 3)
	return strings.Join(parts[:min(len(parts), 2)], "-")
}

// groupClips groups the clips of a chapter into packs.
func groupClips(clips []AudioClip, chapter []int) [][]int {
	var packs [][]int
	var pack []int
	length := 0.
	for _, i := range chapter {
		seconds := float64(clips[i].Samples) / SampleRate
		if seconds > packSeconds {
			continue
		}
		if len(pack) > 0 && length+gapSeconds+seconds > packSeconds {
			packs = append(packs, pack)
			pack, length = nil, 0
		}
		pack = append(pack, i)
		length += seconds
		if len(pack) > 1 {
			length += gapSeconds
		}
	}
	if len(pack) > 0 {
		packs = append(packs, pack)
	}
	return packs
}

func joinClips(clips []AudioClip, members []int, name string) ClipPack {
	p := ClipPack{ClipIndices: members}
	p.Path = name
	texts := make([]string, len(members))
	for i, n := range members {
		texts[i] = clips[n].Transcript
		p.Samples += clips[n].Samples
	}
	p.Samples += GapSamples * (len(members) - 1)
	p.Seconds = float64(p.Samples) / SampleRate
	p.Transcript = strings.Join(texts, " ")
	return p
}
