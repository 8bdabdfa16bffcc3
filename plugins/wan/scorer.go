package wan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/plugins/wan/internal/videos"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/scoring"
)

// Names of the metrics.
const (
	vbenchMetric = "vbench_score"
	videosMetric = "videos" // number of prompts with a video
)

// videoScorer checks which prompts have a video, and reports VBench's results if they are given.
type videoScorer struct {
	videoSettings
	prompts      []videos.VideoRequest
	names        []string
	results      *vbenchResults
	drawn        bool // drawn by the stand-in, which can draw them again
	albumPrompts []uint64

	failed      []string
	albumVideos map[uint64][]byte
	unreadable  int
}

func newVideoScorer(r *manifest.Request, s videoSettings, prompts []videos.VideoRequest,
	results *vbenchResults) *videoScorer {
	return &videoScorer{
		videoSettings: s, prompts: prompts, names: fileNames(prompts), results: results, drawn: r.Embedded,
		albumPrompts: r.Show,
		albumVideos:  map[uint64][]byte{},
	}
}

// Add checks the video of a log entry.
func (s *videoScorer) Add(prompt uint64, answer []byte) error {
	text := string(answer)
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return fmt.Errorf("%q is neither a path nor a SHA-256", text)
	}
	if text == "" {
		s.failed = append(s.failed, fmt.Sprintf("prompt %d has no video (%q)", prompt, s.prompts[prompt].Prompt))
		return nil
	}
	if !slices.Contains(s.albumPrompts, prompt) {
		return nil
	}
	video, err := s.readEntry(prompt, text)
	if err != nil {
		s.unreadable++
		return nil
	}
	s.albumVideos[prompt] = video
	return nil
}

// readEntry reads the file that an entry names by its path, or by its digest and its name in the folder of videos.
// Videos of the stand-in are drawn again.
func (s *videoScorer) readEntry(prompt uint64, text string) ([]byte, error) {
	sum, err := hex.DecodeString(text)
	if err != nil || len(sum) != sha256.Size {
		return readVideo(text) // a foreign log may name any file
	}
	var video []byte
	switch {
	case s.folder != "":
		path, err := s.findVideo(prompt)
		if err != nil {
			return nil, err
		}
		if video, err = readVideo(path); err != nil {
			return nil, err
		}
	case s.drawn:
		if video, err = videos.DrawVideo(s.prompts[prompt].Prompt); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("the log has a digest alone: --param videos=FOLDER says where the files are")
	}
	if has := sha256.Sum256(video); string(has[:]) != string(sum) {
		return nil, fmt.Errorf("the file of prompt %d is another one than that of the log", prompt)
	}
	return video, nil
}

// readVideo reads a file and checks that it is a video.
func readVideo(path string) ([]byte, error) {
	video, err := bounded.ReadFile(path, videos.MaxVideoSize)
	if err == nil {
		err = videos.CheckHead(video)
	}
	return video, err
}

// findVideo returns the path of a prompt's file in the folder of videos.
func (s *videoScorer) findVideo(i uint64) (string, error) {
	for _, ending := range []string{".mp4", ".avi", ".gif"} {
		path := filepath.Join(s.folder, s.names[i]+ending)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s has no %s.mp4", s.folder, s.names[i])
}

// Result returns the number of failed prompts.
func (s *videoScorer) Result() (failed int, err error) { return len(s.failed), nil }

func (s *videoScorer) scoreVideos(failed int, c scoring.Counts) (sdk.Score, error) {
	made, score := c.Samples-failed, sdk.Score{}
	if s.results != nil {
		score.Metrics = append(score.Metrics, sdk.Metric{Name: vbenchMetric, Unit: "%", Value: s.results.score})
		score.OfficialText = strings.Join(append(s.results.officialLines(), s.results.checkerLine()), "\n")
	} else {
		score.OfficialText = fmt.Sprintf("%d of %d prompts have a video; no results of VBench", made, len(s.prompts))
	}
	score.Metrics = append(score.Metrics, sdk.Metric{
		Name: videosMetric, Unit: "%", Value: 100 * float64(made) / float64(len(s.prompts)),
	})
	score.Notes, score.Files = s.scoreNotes(c), s.albumFiles()
	return score, nil
}

func (s *videoScorer) scoreNotes(c scoring.Counts) (n sdk.Notes) {
	n.AddMissing(c.Missing(), c.All, "prompts", "the share of videos is that")
	n.AddDropped(c.Repeated())
	n.AddCount(c.Outside, "%d entries are of prompts that the data set does not have")
	slices.Sort(s.failed)
	for _, f := range s.failed[:min(len(s.failed), maxListedFailures)] {
		n.Add("%s", f)
	}
	n.AddCount(max(0, len(s.failed)-maxListedFailures), "%d more prompts have no video")
	n.AddCount(s.unreadable,
		"%d of the videos to show were not read: the log has a digest, and --param videos=FOLDER names no "+
			"folder with their files, or has others")
	if s.results == nil {
		n.Add("there is no vbench_score: VBench judges the files by its own networks; give its results to harness score " +
			"with --param vbench=FILE")
		return n
	}
	how := "from 0 to 1, made percent"
	if s.Scale == percentScale {
		how = "percent, as they are"
	}
	n.Add("vbench_score is the mean of six dimensions of %s, %s; VBench ran elsewhere, and that it judged these videos "+
		"is not checked", s.results.file, how)
	return n
}

// albumFiles returns the videos for a submission, and captions.txt.
func (s *videoScorer) albumFiles() (all []sdk.ScoreFile) {
	var captions strings.Builder
	for _, i := range s.albumPrompts {
		video, there := s.albumVideos[i]
		if !there {
			continue
		}
		all = append(all, sdk.ScoreFile{Name: fmt.Sprintf("videos/%d%s", i, videos.FileEnding(video)), Data: video})
		fmt.Fprintf(&captions, "%d  %s\n", i, s.prompts[i].Prompt)
	}
	if len(all) == 0 {
		return nil
	}
	return append(all, sdk.ScoreFile{Name: "videos/captions.txt", Data: []byte(captions.String())})
}
