// Package cnndm reads the articles of CNN/DailyMail 3.0.0 and their summaries, in the layouts of the benchmarks
// compatible with MLPerf Inference:
//
//	cnn_eval.json    GPT-J: a JSON array of objects with instruction, input (the article) and output (its highlights)
//	any name         Llama 3.1 8B: objects with input, tok_input (the ids of the whole prompt) and output
//
// In: finding and checking texts and token ids, in JSON, JSONL or Parquet.
// Out: prompts and tokenizers, which are the model's; scoring.
package cnndm
