package reasoning

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
)

// Numbers of a problem's public and private tests.
const (
	publicTests  = 2
	privateTests = 4
)

// Problem is the task of a program, with its tests.
type Problem struct {
	ID, Content     string
	Method          string // method of class Solution; empty: the program reads its standard input
	StarterCode     string
	Public, Private []Test
}

// Test is an input and the expected output: texts, or for a method one JSON value per line.
type Test struct{ Input, Output string }

// packedTest is a test in an official row.
type packedTest struct {
	Input  string `json:"input"`
	Output string `json:"output"`
	Type   string `json:"testtype"`
}

// problemRow is a problem as a row of LiveCodeBench.
type problemRow struct {
	Title      string `json:"question_title"`
	Content    string `json:"question_content"`
	Platform   string `json:"platform"`
	ID         string `json:"question_id"`
	ContestID  string `json:"contest_id"`
	Date       string `json:"contest_date"`
	Starter    string `json:"starter_code"`
	Difficulty string `json:"difficulty"`
	Public     string `json:"public_test_cases"`
	Private    string `json:"private_test_cases"`
	Metadata   string `json:"metadata"`
}

// MarshalJSON returns the problem as a row of LiveCodeBench. Tests are JSON in a text. The private tests of problems
// with a method are also packed, like most official ones.
func (p *Problem) MarshalJSON() ([]byte, error) {
	row := problemRow{
		Title: p.ID, Content: p.Content, Platform: "atcoder", ID: p.ID, ContestID: "synthetic",
		Date: "2025-01-04T00:00:00", Starter: p.StarterCode, Difficulty: "easy", Metadata: "{}",
	}
	kind := "stdin"
	if p.Method != "" {
		kind, row.Platform = "functional", "leetcode"
		row.Metadata = fmt.Sprintf(`{"func_name": %q}`, p.Method)
	}
	public, err := packTests(p.Public, kind)
	if err != nil {
		return nil, err
	}
	private, err := packTests(p.Private, kind)
	if err != nil {
		return nil, err
	}
	row.Public, row.Private = string(public), string(private)
	if p.Method != "" {
		if row.Private, err = packText(private); err != nil {
			return nil, err
		}
	}
	return json.Marshal(row)
}

func packTests(tests []Test, kind string) ([]byte, error) {
	list := make([]packedTest, len(tests))
	for i, t := range tests {
		list[i] = packedTest{t.Input, t.Output, kind}
	}
	return json.Marshal(list)
}

// packText returns base64 of zlib of a Python pickle (protocol 4) of a text.
func packText(text []byte) (string, error) {
	pickle := []byte{0x80, 4, 'X'} // protocol; text with its length
	pickle = binary.LittleEndian.AppendUint32(pickle, uint32(len(text)))
	pickle = append(append(pickle, text...), 0x94, '.') // memoise; stop
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	if _, err := w.Write(pickle); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), nil
}
