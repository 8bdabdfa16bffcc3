package librispeech

import (
	"fmt"
	"path"
	"strings"
)

// What the repackaging of Whisper's data set makes.
const (
	packSeconds = 30.
	gapSeconds  = 0.5
	GapSamples  = Rate / 2 // silent samples between the clips of a pack
)

// ClipPack is a clip made from several clips. Their samples follow one another with GapSamples of silence between them,
// and their transcripts with a blank between them.
type ClipPack struct {
	AudioClip
	Of []int // the clips, by their places in the list
}

// PackClips plans the packs of clips as the official repackaging does: of one speaker's chapter, in order, as many as
// 30 s hold; the chapters in the order in which they first appear. Clips of more than 30 s are left out. Samples must
// be known. Packs are called OUT/SPEAKER-CHAPTER_N.wav.
//
// The official lengths are sums of float64 seconds, which decide where a clip just fits; so are these.
func PackClips(clips []AudioClip, out string) []ClipPack {
	var order []string
	chapters := make(map[string][]int)
	for i, c := range clips {
		key := chapterOf(c.Path)
		if chapters[key] == nil {
			order = append(order, key)
		}
		chapters[key] = append(chapters[key], i)
	}
	var packs []ClipPack
	for _, key := range order {
		for n, of := range distributeClips(clips, chapters[key]) {
			packs = append(packs, joinClips(clips, of, path.Join(out, fmt.Sprintf("%s_%d.wav", key, n))))
		}
	}
	return packs
}

// chapterOf is the first two parts of a file's name.
func chapterOf(file string) string {
	base := path.Base(file)
	parts := strings.SplitN(strings.TrimSuffix(base, path.Ext(base)), "-", 3)
	return strings.Join(parts[:min(len(parts), 2)], "-")
}

// distributeClips distributes the clips of a chapter.
func distributeClips(clips []AudioClip, chapter []int) [][]int {
	var packs [][]int
	var pack []int
	length := 0.
	for _, i := range chapter {
		seconds := float64(clips[i].Samples) / Rate
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

func joinClips(clips []AudioClip, of []int, name string) ClipPack {
	p := ClipPack{Of: of}
	p.Path = name
	texts := make([]string, len(of))
	for i, n := range of {
		texts[i] = clips[n].Transcript
		p.Samples += clips[n].Samples
	}
	p.Samples += GapSamples * (len(of) - 1)
	p.Seconds = float64(p.Samples) / Rate
	p.Transcript = strings.Join(texts, " ")
	return p
}
