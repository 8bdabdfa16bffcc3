package loadgen

import "context"

// ResponseID names one issued sample within one StartTest. LoadGen numbers samples densely from 0 in the order
// in which they are issued, so a SUT may use the id as an index.
type ResponseID uint32

// SampleIndex is the position of a sample in the QSL's data set, in [0, TotalSampleCount).
type SampleIndex uint32

// QuerySample asks for one inference: run the sample at Index, answer under ID.
type QuerySample struct {
	ID    ResponseID
	Index SampleIndex
}

// Query is what one IssueQuery call asks for: 1 sample in SingleStream and Server,
// samples_per_query in MultiStream, all samples of the run in Offline.
//
// Samples belongs to LoadGen and is valid only until IssueQuery returns: a SUT copies what it keeps.
type Query struct {
	Samples []QuerySample
}

// QuerySampleResponse is the answer to one QuerySample.
type QuerySampleResponse struct {
	ID ResponseID
	// Data is the benchmark's payload in its official byte layout, little endian; it may be empty.
	// It stays the SUT's: LoadGen copies what it keeps before the call returns.
	Data []byte
	// NTokens is the number of generated tokens; it counts only where UseTokenLatencies is set.
	NTokens int64
}

// Responder takes the SUT's answers. Any goroutine may call it at any time, also from inside IssueQuery.
// It reads the clock first, never blocks on LoadGen's own work, and copies what it keeps.
//
// An id that was not issued, or was answered before, ends the test with an error that names the sample.
type Responder interface {
	// QuerySamplesComplete records that the samples are finished.
	QuerySamplesComplete(rs []QuerySampleResponse)
	// FirstTokenComplete records the arrival of the first token of each sample; Data holds that token.
	FirstTokenComplete(rs []QuerySampleResponse)
}

// SUT is the system under test.
//
// LoadGen calls IssueQuery and FlushQueries from one goroutine at a time, in Server from one that owns an OS thread
// while it issues; with ServerNumIssueQueryThreads above 1, that many goroutines call IssueQuery concurrently.
// (Elsewhere the goroutine owns no thread: waking one that does takes 15 to 40 µs instead of 1 µs, which a query handed
// to another goroutine would pay in its latency.)
type SUT interface {
	// Name is written to the logs.
	Name() string
	// IssueQuery starts work on q and answers each sample exactly once through r, before or after it returns.
	// It must not wait for other queries. An error ends the test.
	IssueQuery(ctx context.Context, q Query, r Responder) error
	// FlushQueries follows the last IssueQuery of each series: answer what is held back for batching now.
	FlushQueries(ctx context.Context) error
}

// Warmer is an optional interface of a SUT. WarmUp runs untimed work before the performance series, after its samples
// are loaded and before the clock starts. It sees no sample of the test.
type Warmer interface {
	WarmUp(ctx context.Context) error
}

// QSL is the query sample library: the data set as LoadGen sees it.
type QSL interface {
	// Name is written to the logs.
	Name() string
	// TotalSampleCount is the size of the data set.
	TotalSampleCount() int
	// PerformanceSampleCount is how many samples are guaranteed to fit in memory together.
	PerformanceSampleCount() int
	// LoadSamplesToRAM loads the samples, untimed. An index may occur twice in MultiStream (padding); samples are
	// unloaded with the same list.
	LoadSamplesToRAM(ctx context.Context, indices []SampleIndex) error
	UnloadSamplesFromRAM(ctx context.Context, indices []SampleIndex) error
}
