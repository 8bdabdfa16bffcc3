package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/coco"
	"github.com/plumbline-ml/plumbline/datasets/coco2014"
	"github.com/plumbline-ml/plumbline/datasets/criteo"
	"github.com/plumbline-ml/plumbline/datasets/igbh"
	"github.com/plumbline-ml/plumbline/datasets/imagenet"
	"github.com/plumbline-ml/plumbline/datasets/kits19"
	"github.com/plumbline-ml/plumbline/datasets/prompts"
	"github.com/plumbline-ml/plumbline/datasets/squad"
	"github.com/plumbline-ml/plumbline/datasets/streaming"
	"github.com/plumbline-ml/plumbline/internal/synthetic/articles"
	"github.com/plumbline-ml/plumbline/internal/synthetic/captioned"
	"github.com/plumbline-ml/plumbline/internal/synthetic/citations"
	"github.com/plumbline-ml/plumbline/internal/synthetic/encyclopedia"
	"github.com/plumbline-ml/plumbline/internal/synthetic/preferences"
	"github.com/plumbline-ml/plumbline/internal/synthetic/questions"
	"github.com/plumbline-ml/plumbline/internal/synthetic/scenes"
	"github.com/plumbline-ml/plumbline/internal/synthetic/translation"
)

// TestEachKindIsReadAsTheOfficialSet writes the end of each evaluation set and reads it with the
// official layout's reader.
func TestEachKindIsReadAsTheOfficialSet(t *testing.T) {
	for _, tt := range []struct {
		args string
		read func(t *testing.T, path string)
	}{
		{"images -first 995", readImages(5, "synthetic_00000995.png")},
		{"images -first 998 -n 4 -jpeg 90", readImages(4, "synthetic_00000998.JPEG")},
		{"scenes -first 495", readScenes},
		{"volumes -first 42", readVolumes},
		{"clicks -first 271595", readClicks},
		{"questions -n 5", readQuestions},
		{"articles -first 490", readArticles},
		{"translation -first 595", readTranslation},
		{"captioned -first 495", readCaptioned},
	} {
		t.Run(tt.args, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "new", "out.jsonl")
			if err := run(t.Context(), append(strings.Fields(tt.args), "-set", "eval", "-out", path), io.Discard); err != nil {
				t.Fatal(err)
			}
			tt.read(t, path)
		})
	}
}

func TestTheGraphIsReadAsTheOfficialSet(t *testing.T) {
	dir := t.TempDir()
	if err := run(t.Context(), []string{"citations", "-set", "all", "-out", dir}, io.Discard); err != nil {
		t.Fatal(err)
	}
	set, err := igbh.Open(t.Context(), dir, igbh.GraphOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	if set.Len() != citations.EvalCount || set.SaveError() != nil {
		t.Errorf("%d samples, kept: %v", set.Len(), set.SaveError())
	}
}

// TestTheStreamIsReadAsTheOfficialSet reads a stream from files as the benchmark does, and finds that of its package.
func TestTheStreamIsReadAsTheOfficialSet(t *testing.T) {
	dir := t.TempDir()
	if err := run(t.Context(), []string{"preferences", "-set", "eval", "-out", dir}, io.Discard); err != nil {
		t.Fatal(err)
	}
	o := streaming.RequestOptions{
		TrainPeriods: preferences.TrainPeriods, Items: preferences.Items, Categories: preferences.Categories,
		MaxSequence: 1 + preferences.MaxHistory + preferences.Candidates, MaxCandidates: preferences.Candidates,
	}
	files, err := streaming.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	drawn, err := streaming.OpenFiles(preferences.Eval().Files(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer drawn.Close()
	if n := files.Periods(); n != preferences.Periods-preferences.TrainPeriods || n != drawn.Periods() {
		t.Fatalf("%d periods", n)
	}
	for p := range files.Periods() {
		if users := files.Requests(p); len(users) == 0 || !slices.Equal(users, drawn.Requests(p)) {
			t.Errorf("period %d: %d requests", p, len(users))
		}
		for r := range files.Requests(p) {
			got, err := files.ReadSample(p, r)
			want, wantErr := drawn.ReadSample(p, r)
			if err != nil || wantErr != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("request %d of period %d differs: %v, %v", r, p, err, wantErr)
			}
		}
	}
}

// TestTheEncyclopediaIsPagesMappingAndQuestions writes the world of the embedded benchmarks, and lookups for training.
func TestTheEncyclopediaIsPagesMappingAndQuestions(t *testing.T) {
	dir := t.TempDir()
	if err := run(t.Context(), strings.Fields("encyclopedia -set eval -out "+dir), io.Discard); err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*.html"))
	if err != nil || len(pages) != encyclopedia.PageCount {
		t.Errorf("%d pages, %v", len(pages), err)
	}
	text, err := os.ReadFile(filepath.Join(dir, encyclopedia.MappingName))
	if err != nil {
		t.Fatal(err)
	}
	urls := map[string]string{}
	if err := json.Unmarshal(text, &urls); err != nil || len(urls) != encyclopedia.PageCount {
		t.Errorf("%d URLs, %v", len(urls), err)
	}
	table, err := os.ReadFile(filepath.Join(dir, encyclopedia.QuestionsName))
	if err != nil || strings.Count(string(table), "\n") != 1+encyclopedia.QuestionCount {
		t.Errorf("%d lines of questions, %v", strings.Count(string(table), "\n"), err)
	}
	path := filepath.Join(dir, "lookups.jsonl")
	if err := run(t.Context(), strings.Fields("lookups -set unseen -first 2 -n 2 -out "+path), io.Discard); err != nil {
		t.Fatal(err)
	}
	if lines, err := os.ReadFile(path); err != nil || strings.Count(string(lines), "\n") != 2 {
		t.Errorf("%d worlds, %v", strings.Count(string(lines), "\n"), err)
	}
}

func readImages(n int, first string) func(t *testing.T, path string) {
	return func(t *testing.T, path string) {
		set, err := imagenet.Open(path, imagenet.PictureOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if set.Len() != n || set.Name(0) != first {
			t.Errorf("%d pictures from %s on", set.Len(), set.Name(0))
		}
	}
}

func readScenes(t *testing.T, path string) {
	set, err := coco.OpenImages(path, coco.ImageOptions{Classes: scenes.Classes})
	if err != nil {
		t.Fatal(err)
	}
	if set.Len() != 5 || set.Image(0).Name != "scene_00000495.png" {
		t.Errorf("%d pictures from %s on", set.Len(), set.Image(0).Name)
	}
}

func readVolumes(t *testing.T, path string) {
	if set, err := kits19.Open(path, kits19.CaseOptions{Cases: []string{"case_00042"}}); err != nil || set.Len() != 1 {
		t.Errorf("%v", err)
	}
}

func readClicks(t *testing.T, path string) {
	set, err := criteo.Open(path, criteo.PairOptions{Variant: criteo.Sample})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	if set.Len() != 5 {
		t.Errorf("%d pairs, want 5", set.Len())
	}
}

func readQuestions(t *testing.T, path string) {
	set, err := squad.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(set.Paragraphs(), questions.Eval().Paragraphs(0, 5)) {
		t.Error("the file is not what the set writes")
	}
}

func readArticles(t *testing.T, path string) {
	set, err := prompts.CNNDailyMail().Open(path, prompts.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(set) != 10 {
		t.Fatalf("%d articles, want 10", len(set))
	}
	for i := range 10 {
		want, got := articles.Eval().At(490+i), set[i]
		if got.Input != want.Text || got.Output != want.Summary {
			t.Errorf("article %d is %+v, want %+v", i, got, want)
		}
	}
}

func TestRunOfBadArguments(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct{ args, want string }{
		{"", "want a kind of data first, one of articles, captioned, citations, clicks, encyclopedia, heads, images, " +
			"lookups, preferences, problems, products, questions, reasoning, scenes, speech, streets, translation, volumes"},
		{"pictures -out " + dir, `unknown kind "pictures", want one of articles`},
		{"images -set train", "want -out DIR"},
		{"articles -set train", "want -out FILE"},
		{"images -set test -out " + dir, `unknown set "test", want calibration, eval, train`},
		{"clicks -set calibration -out " + dir, `unknown set "calibration", want eval, train`},
		{"images -out " + dir + " more", `have ["more"]`},
		{"images -out " + dir + " -first -1 -n 2", "want 0 <= first <= end <= 20000"},
		{"images -out " + dir + " -jpeg 101", "quality 101 of JPEG: want 1 to 100"},
		{"scenes -out " + dir + " -jpeg 90", "not defined"},
		{"scenes -out " + dir + " -first 7999 -n 2", "want 0 <= first <= end <= 8000"},
		{"scenes -out " + dir + " -n 0", "annotations need at least one"},
		{"volumes -set calibration -out " + dir + " -first 11 -n 2", "want 0 <= first <= end <= 12"},
		{"clicks -out " + dir + " -first 4999999 -n 2", "want 0 <= first <= end <= 5000000"},
		{"questions -set eval -out " + dir + " -n 251", "want 0 <= first <= end <= 250"},
		{"questions -set eval -n 1 -out " + dir, "write the data set"},
		{"captioned -set calibration -out " + dir, `unknown set "calibration", want eval, reference, train`},
		{"captioned -set eval -first 499 -n 2 -out " + dir, "want 0 <= first <= end <= 500"},
		{"citations -out " + dir, `unknown set "train", want all`},
		{"citations -set all -n 5 -out " + dir, "a graph is written whole"},
		{"preferences -set eval -n 5 -out " + dir, "a stream is written whole"},
		{"encyclopedia -out " + dir, "an encyclopedia is written alone: ask for one"},
		{"articles -set eval -out " + dir + "/x -first 499 -n 2", "want 0 <= first <= end <= 500"},
		{"images -what", "not defined"},
	} {
		err := run(t.Context(), strings.Fields(tt.args), io.Discard)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: error %v, want %q", tt.args, err, tt.want)
		}
	}
}

func readTranslation(t *testing.T, path string) {
	for i, name := range []string{"words.en", "words.de"} {
		text, err := os.ReadFile(filepath.Join(path, name))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		last := translation.Eval().At(599)
		if want := []string{last.Source, last.Target}[i]; len(lines) != 6 || lines[4] != want {
			t.Errorf("%s: %d lines, the last is %q, want %q", name, len(lines)-1, lines[4], want)
		}
	}
}

func readCaptioned(t *testing.T, path string) {
	captions, err := coco2014.ReadCaptions(filepath.Join(path, coco2014.CaptionsFile))
	if want := captioned.Eval().Caption(499); err != nil || len(captions) != 5 || captions[4].Text != want {
		t.Errorf("%+v, %v; want 5, the last %q", captions, err, want)
	}
	latents, err := coco2014.ReadLatents(coco2014.FindLatents(path))
	if err != nil || latents.Shape != captioned.LatentShape || !slices.Equal(latents.Values, captioned.Latent()) {
		t.Errorf("latents: %+v, %v", latents, err)
	}
	picture, err := os.ReadFile(filepath.Join(path, "validation", "data", captioned.Eval().Name(499)))
	if err != nil || string(picture) != string(captioned.Eval().PNG(499)) {
		t.Errorf("picture 499 is another one, %v", err)
	}
}
