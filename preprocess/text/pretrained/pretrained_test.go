package pretrained_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/plumbline-ml/plumbline/preprocess/text/pretrained"
)

func files(m fstest.MapFS) pretrained.FileReader {
	return func(name string) ([]byte, error) { return fs.ReadFile(m, name) }
}

func TestReadFolder(t *testing.T) {
	models, err := filepath.Glob("../sentencepiece/testdata/models/*/*.model")
	if err != nil || len(models) == 0 {
		t.Fatal(models, err)
	}
	read := func(path string) *fstest.MapFile {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return &fstest.MapFile{Data: data}
	}
	llama := fstest.MapFS{"tokenizer.model": read(models[0])}
	plain, err := pretrained.ReadFolder(files(llama))
	if err != nil {
		t.Fatal(err)
	}
	byName, err := pretrained.ReadTokenizer("tokenizer.model", files(llama))
	if err != nil {
		t.Fatal(err)
	}
	llama["tokenizer_config.json"] = &fstest.MapFile{Data: []byte(`{"add_bos_token": false, "add_eos_token": true}`)}
	config, err := pretrained.ReadFolder(files(llama))
	if err != nil {
		t.Fatal(err)
	}
	ids := plain.EncodePlain(nil, "hello there")
	if len(ids) == 0 || !slices.Equal(byName.EncodePlain(nil, "hello there"), ids) {
		t.Errorf("%v, %v", ids, byName.EncodePlain(nil, "hello there"))
	}
	with, without := plain.Encode(nil, "hello there"), config.Encode(nil, "hello there")
	if !slices.Equal(with[1:], ids) || !slices.Equal(without[:len(without)-1], ids) {
		t.Errorf("%v with a begin, %v with an end, around %v", with, without, ids)
	}
}

func TestBadFolders(t *testing.T) {
	for want, m := range map[string]fstest.MapFS{
		"no tokenizer.json, no tokenizer.model, and not vocab.json": {},
		"tokenizer_config.json": {
			"tokenizer.json": {Data: []byte("{}")}, "tokenizer_config.json": {Data: []byte("{")}},
		"tokenizer": {"tokenizer.json": {Data: []byte("no")}},
	} {
		if _, err := pretrained.ReadFolder(files(m)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := pretrained.ReadTokenizer("x.json", files(nil)); err == nil {
		t.Error("a file that is not there: no error")
	}
}
