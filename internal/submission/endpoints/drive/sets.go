package drive

import (
	"crypto/md5" //nolint:gosec // the published checksum; not used for security
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/datasets/conversations"
	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/checksum"
	"github.com/plumbline-ml/plumbline/internal/serving/client"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// SetOptions returns the options that read the file of a model's performance set like the official client.
func SetOptions(file, model string, rules *endpoints.Rules) prompts.PromptOptions {
	mark := rules.Clients[model].UserMark
	o := prompts.PromptOptions{File: file, SaltAfter: mark, PreferIDs: mark != ""}
	o.Body, o.MaxTokens, _ = rules.Clients[model].RequestFields() // checked when the rules were read
	if f := rules.Clients[model].Form; f != nil {
		o.Form = &prompts.PromptForm{Column: f.Column, Text: f.Text, Fields: f.Fields}
	}
	return o
}

// CheckSet lists the differences of a model's performance set file from the official one, one per line. It returns none
// if the file is the official one as far as published. It only counts the samples if the checksum differs or none is
// published.
func CheckSet(file, model string, rules *endpoints.Rules) (lines []string, err error) {
	if want, published := rules.OfficialSets[model]; published {
		name, sum, wanted, err := officialSums(file, want)
		if err != nil {
			return nil, err
		}
		if sum == wanted {
			return nil, nil
		}
		lines = append(lines, fmt.Sprintf("%s is not the official %s of %s: its %s is %s, want %s", file, want.File, model,
			name, sum, wanted))
	}
	o := SetOptions(file, model, rules)
	o.Table = client.OpenParquet
	set, err := prompts.ReadSet(o)
	if err != nil {
		return lines, err
	}
	if err := checkOneForm(file, set); err != nil {
		return lines, err
	}
	if rules.Clients[model].UserMark != "" && set.OfIDs() == 0 {
		lines = append(lines, fmt.Sprintf("%s has prompts of text, and the official set of %s token ids",
			filepath.Base(file), model))
	}
	if n, want := set.Rows(), rules.PerformanceSets[model]; n != want {
		lines = append(lines, fmt.Sprintf("%s has %d samples, and the official set of %s has %d", filepath.Base(file), n,
			model, want))
	}
	return lines, nil
}

// CountSamples returns the number of samples in a model's performance set file, or the number of trajectories for an
// agentic model.
func CountSamples(file, model string, rules *endpoints.Rules) (int, error) {
	if rules.AgenticOf(model) != nil {
		set, err := conversations.Open(file)
		if err != nil {
			return 0, err
		}
		return len(trajectoriesOf(set)), nil
	}
	o := SetOptions(file, model, rules)
	o.Table = client.OpenParquet
	set, err := prompts.ReadSet(o)
	if err != nil {
		return 0, err
	}
	return set.Rows(), nil
}

// checkOneForm returns an error if some prompts are token ids and others are texts.
func checkOneForm(file string, set *prompts.PromptSet) error {
	if ids := set.OfIDs(); ids > 0 && ids < set.Rows() {
		return fmt.Errorf("%s mixes two forms: %d prompts are token ids, and %d are text; give a set of one form", file, ids,
			set.Rows()-ids)
	}
	return nil
}

// officialSums returns a file's checksum and the published checksum of the same type.
func officialSums(file string, want endpoints.OfficialSet) (name, sum, wanted string, err error) {
	if want.SHA256 != "" {
		sum, _, err = checksum.File(file)
		return "SHA-256", sum, want.SHA256, err
	}
	f, err := bounded.Open(file)
	if err != nil {
		return "", "", "", err
	}
	defer f.Close()
	h := md5.New() //nolint:gosec // as above
	_, err = io.Copy(h, f)
	return "MD5", hex.EncodeToString(h.Sum(nil)), want.MD5, err
}
