package wer

import (
	"fmt"
	"math"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// PayloadOptions describes the format of payloads. The zero value is the official scripts' format.
type PayloadOptions struct {
	DType accuracy.DType
}

// TranscriptScorer sums errors and words over the entries of a log. All entries count. It is not safe for concurrent
// use.
type TranscriptScorer struct {
	references []string
	labels     string
	dtype      accuracy.DType
	count      func(reference, hypothesis string) (errors, words int)
	sum        TranscriptResult
}

// NewRNNT returns a scorer of RNN-T for a data set in which sample i has the transcript references[i], prepared by
// [CleanTranscript]. It compares words without normalisation. An unknown DType is an error.
func NewRNNT(references []string, o PayloadOptions) (*TranscriptScorer, error) {
	return newScorer(references, rnntLabels, o, func(reference, hypothesis string) (int, int) {
		words := pystr.Fields(reference)
		return editDistance(words, pystr.Fields(hypothesis)), len(words)
	})
}

// NewWhisper returns a scorer of Whisper for a data set in which sample i has the unprepared transcript references[i].
// It drops characters that are not labels, normalises both texts ([NormaliseEnglish]) and treats words that are joined
// in one text and separate in the other as equal. An unknown DType is an error.
func NewWhisper(references []string, o PayloadOptions) (*TranscriptScorer, error) {
	return newScorer(references, whisperLabels, o, func(reference, hypothesis string) (int, int) {
		words := pystr.Fields(NormaliseEnglish(keepLabels(whisperLabels, reference)))
		return joinedDistance(words, pystr.Fields(NormaliseEnglish(hypothesis))), len(words)
	})
}

func newScorer(references []string, labels string, o PayloadOptions, count func(string, string) (int,
	int)) (*TranscriptScorer, error) {
	dtype, err := DTypes().Resolve(o.DType)
	if err != nil {
		return nil, err
	}
	return &TranscriptScorer{references: references, labels: labels, dtype: dtype, count: count}, nil
}

// Add scores one entry of the log. index is the sample (qsl_idx). payload contains the label numbers of the response;
// an empty payload contains no words. An entry with an error does not affect the result.
func (s *TranscriptScorer) Add(index uint64, payload []byte) error {
	if index >= uint64(len(s.references)) {
		return fmt.Errorf("%w: %d of %d", ErrIndex, index, len(s.references))
	}
	_, errors, words, err := s.Compare(index, payload)
	if err != nil {
		return fmt.Errorf("sample %d: %w", index, err)
	}
	s.sum.Errors += errors
	s.sum.Words += words
	s.sum.Entries++
	return nil
}

// Compare returns the text of a payload, its number of word errors, and the number of words in the sample's reference.
// index must be a sample of the data set.
func (s *TranscriptScorer) Compare(index uint64, payload []byte) (text string, errors, words int, err error) {
	if text, err = decodeLabels(s.labels, s.dtype, payload); err != nil {
		return "", 0, 0, err
	}
	errors, words = s.count(s.references[index], text)
	return text, errors, words, nil
}

// Result returns the metric of the entries added so far, or ErrNoWords.
func (s *TranscriptScorer) Result() (TranscriptResult, error) {
	if s.sum.Words == 0 {
		return s.sum, fmt.Errorf("%w: %d entries", ErrNoWords, s.sum.Entries)
	}
	return s.sum, nil
}

// TranscriptResult is the metric of one log.
type TranscriptResult struct {
	Errors  int // insertions, deletions and substitutions of words
	Words   int // words of the references: the denominator
	Entries int // entries of the log
}

// Rate returns the word error rate. It is 0 or more, and may exceed 1 if hypotheses are longer than references.
func (r TranscriptResult) Rate() float64 { return float64(r.Errors) / float64(r.Words) }

// Accuracy returns the metric that the rules judge, in percent, not rounded.
func (r TranscriptResult) Accuracy() float64 { return (1 - r.Rate()) * 100 }

// String returns the line that the official scripts print and the submission checker reads.
func (r TranscriptResult) String() string {
	if r.Words == 0 {
		return fmt.Sprintf("Word Error Rate: %v%%, accuracy=%v%%", math.Inf(1), math.Inf(-1))
	}
	return fmt.Sprintf("Word Error Rate: %s%%, accuracy=%s%%", pyfloat.Repr(r.Rate()*100), pyfloat.Repr(r.Accuracy()))
}
