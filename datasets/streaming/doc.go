// Package streaming reads the streamed data set of dlrm-v3, in its official layout:
//
//	DIR/0.csv, 1.csv, ...            a line for each user: blocks of four cells (candidates, their ratings, history, its
//	                                 ratings), one for each period and two more
//	DIR/offset.csv                   a line for each of them: where the line of each user begins
//	DIR/requests_per_ts.csv          a line for each period: the users that ask, in order
//	DIR/requests_per_ts_offset.csv   where each of these lines begins
//	DIR/users_cumsum_per_ts.csv      a line for each period: how many ask of the first file, of the first two, ...
//
// Time passes in periods. The first ones are those that models are trained on; in each of the others users ask for the
// ratings of candidates, and have a history of all that they rated in the periods before. Lines stay in their files,
// and are read where they are asked for: the whole set is larger than memory.
//
// In: finding and checking the files, samples of requests; rows of embedding tables in .npy files. Out: in which order
// requests are asked.
package streaming
