package loadgen

import "context"

// ResponseID identifies one issued sample within one StartTest. LoadGen numbers the samples from 0 in the order of
// their issue, so a SUT may use the id as an index.
type ResponseID uint32

// SampleIndex is the position of a sample in the QSL's data set, in [0, TotalSampleCount).
type SampleIndex uint32

// QuerySample requests one inference. The SUT runs the sample at Index and answers with ID.
type QuerySample struct {
	ID    ResponseID
	Index SampleIndex
}

// Query is the request of one IssueQuery call: one sample in SingleStream and Server, samples_per_query samples in
// MultiStream, all samples of the run in Offline.
//
// Samples belongs to LoadGen and is valid only until IssueQuery returns. A SUT must copy the parts that it needs later.
type Query struct {
	Samples []QuerySample
}

// QuerySampleResponse is the answer to one QuerySample.
type QuerySampleResponse struct {
	ID ResponseID
	// Data is the benchmark's payload in its official byte layout, little endian. It may be empty. The SUT owns it, and
	// LoadGen copies it before the call returns if necessary.
	Data []byte
	// NTokens is the number of generated tokens. LoadGen reads it only with UseTokenLatencies.
	NTokens int64
}

// Responder receives the SUT's answers. Any goroutine may call it at any time, also from inside IssueQuery. It reads
// the clock first, never blocks on LoadGen's own work, and copies the data that it keeps.
//
// An id that was not issued, or was already answered, ends the test with an error that names the sample.
type Responder interface {
	// QuerySamplesComplete records that the samples are finished.
	QuerySamplesComplete(rs []QuerySampleResponse)
	// FirstTokenComplete records the arrival of the first token of each sample. Data contains that token.
	FirstTokenComplete(rs []QuerySampleResponse)
}

// SUT is the system under test.
//
// LoadGen calls IssueQuery and FlushQueries from one goroutine at a time. In Server, that goroutine owns an OS thread
// while it issues, and with ServerNumIssueQueryThreads above 1, that many goroutines call IssueQuery concurrently. (In
// other scenarios the goroutine owns no thread. Waking a goroutine with its own thread takes 15 to 40 µs instead of 1
// µs, and this time would be part of the latency of a query passed to another goroutine.)
type SUT interface {
	// Name returns the name in the logs.
	Name() string
	// IssueQuery starts work on q and answers each sample exactly once through r, before or after it returns. It must not
	// wait for other queries. An error ends the test.
	IssueQuery(ctx context.Context, q Query, r Responder) error
	// FlushQueries follows the last IssueQuery of each series. The SUT must now answer the samples that it held back for
	// batching.
	FlushQueries(ctx context.Context) error
}

// Warmer is an optional interface of a SUT. WarmUp runs untimed work before the performance series, after its samples
// are loaded and before the clock starts. It gets no samples of the test.
type Warmer interface {
	WarmUp(ctx context.Context) error
}

// QSL is the query sample library, LoadGen's interface to the data set.
type QSL interface {
	// Name returns the name in the logs.
	Name() string
	// TotalSampleCount returns the size of the data set.
	TotalSampleCount() int
	// PerformanceSampleCount returns the number of samples that are guaranteed to fit in memory together.
	PerformanceSampleCount() int
	// LoadSamplesToRAM loads the samples, untimed. In MultiStream an index may occur twice (padding). LoadGen unloads the
	// samples with the same list.
	LoadSamplesToRAM(ctx context.Context, indices []SampleIndex) error
	UnloadSamplesFromRAM(ctx context.Context, indices []SampleIndex) error
}
