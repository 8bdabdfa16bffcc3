package result

import (
	"regexp"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
)

// Parts of the forms of metrics: numbers have the digits of all scripts, blanks are those of Unicode.
const (
	number = `([\p{Nd}.]+)`
	blank  = `[\s\v\x1c-\x1f\x{85}\p{Z}]`
	quoted = blank + `+'?` + number
	spaced = blank + `*` + number
)

// accuracyForms say how the benchmarks' scripts print a metric in accuracy.txt: the beginning of a line, with the value
// as its one group.
var accuracyForms = map[string]*regexp.Regexp{
	"acc":               form(`(?:\{"accuracy|accuracy)[": ]*=?` + spaced),
	"meanAcc":           form(`.*'mean-accuracy':` + quoted),
	"AUC":               form(`AUC=` + number),
	"DLRM_NE":           form(`.*metric/lifetime_ne/rating:` + spaced),
	"DLRM_ACC":          form(`.*metric/lifetime_accuracy/rating:` + spaced),
	"DLRM_AUC":          form(`.*metric/lifetime_gauc/rating:` + spaced),
	"mAP":               form(`.*(?:mAP=|'Total':)` + spaced),
	"bleu":              form(`BLEU:` + spaced),
	"F1":                form(`\{["']exact_match["']:` + blank + `*[\p{Nd}.]+,` + blank + `*["']f1["']:` + spaced + `\}`),
	"ACCURACY":          wordAccuracy,
	"WER":               wordAccuracy, // as the checkers up to v4.0 call it, though its target is the accuracy, too
	"DICE":              form(`Accuracy:` + blank + `*mean` + blank + `*=` + spaced),
	"ROUGE1":            form(`.*'rouge1':` + quoted),
	"ROUGE2":            form(`.*'rouge2':` + quoted),
	"ROUGEL":            form(`.*'rougeL':` + quoted),
	"ROUGELSUM":         form(`.*'rougeLsum':` + quoted),
	"GEN_LEN":           form(`.*'gen_len':` + blank + number),
	"TOKENS_PER_SAMPLE": form(`.*'tokens_per_sample':` + blank + number),
	"CLIP_SCORE":        form(`.*'CLIP_SCORE':` + quoted),
	"FID_SCORE":         form(`.*'FID_SCORE':` + quoted),
	"gsm8k_accuracy":    form(`.*'gsm8k':` + blank + number),
	"mbxp_accuracy":     form(`.*'mbxp':` + blank + number),
	"exact_match":       form(`.*'exact_match':` + blank + number),
	"vbench_score":      form(`.*'vbench_score':` + blank + number),
	"F1_HIERARCHICAL":   form(`\{.*"f1":` + spaced + `.*\}`),
	"E2E_ACCURACY":      form(`Accuracy:` + spaced),
}

// wordAccuracy is how the scripts of speech recognition print the share of words that are right.
var wordAccuracy = form(`Word Error Rate:.*, accuracy=([0-9.]+)%`)

func form(text string) *regexp.Regexp { return regexp.MustCompile(`^` + text) }

// Accuracy is what a line of accuracy.txt says of a metric ("acc", "ROUGE1", as in the rules' targets): the value as it
// is written there, which need not be a number ("76.4.6"). ok is false where the line does not speak of the metric.
// A comma or an exponent ends the value, as in the official checker.
func Accuracy(metric, line string) (value string, ok bool) {
	f, ok := accuracyForms[metric]
	if !ok {
		return "", false
	}
	m := f.FindStringSubmatch(line)
	if m == nil || strings.ContainsFunc(m[1], func(r rune) bool { return r != '.' && !pyfloat.IsDigit(r) }) {
		return "", false
	}
	return m[1], true
}

// HasForm says whether it is known how a metric is printed. Every metric of the rules has a form.
func HasForm(metric string) bool { return accuracyForms[metric] != nil }

// hashForm is the line that the truncation of the accuracy log leaves in accuracy.txt.
var hashForm = regexp.MustCompile(`^hash=([\p{L}\p{N}_]+)\n?$`)

// Hash is the value of a line hash=VALUE; ok is false for other lines.
func Hash(line string) (value string, ok bool) {
	m := hashForm.FindStringSubmatch(line)
	if m == nil {
		return "", false
	}
	return m[1], true
}
