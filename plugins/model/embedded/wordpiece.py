"""WordPiece of lower-case texts (Devlin et al. 2018, arXiv:1810.04805): vocabularies and their tokens."""

import re
import unicodedata

from tokenizers import BertWordPieceTokenizer


def plain(text):
    """In lower case and without accents, as long as before."""
    return "".join(c for c in unicodedata.normalize("NFD", text.lower()) if unicodedata.category(c) != "Mn")


def split(text):
    """Words and signs, plain."""
    return re.findall(r"\w+|[^\w\s]", plain(text))


class Tokenizer:
    """At each place of a word the longest piece of the vocabulary."""

    def __init__(self, tokens):
        self.tokens = tokens
        self.ids = {token: i for i, token in enumerate(tokens)}
        self.known = {}

    def word(self, word):
        if word not in self.known:
            self.known[word] = self._pieces(word)
        return self.known[word]

    def _pieces(self, word):
        ids, at = [], 0
        while at < len(word):
            for end in range(len(word), at, -1):
                piece = self.ids.get(("##" if at else "") + word[at:end])
                if piece is not None:
                    break
            else:
                return [self.ids["[UNK]"]]
            ids.append(piece)
            at = end
        return ids

    def encode(self, text):
        return [i for word in split(text) for i in self.word(word)]


def learn(texts, size, rare, path):
    """Learns a vocabulary of a size without pieces that are seen less often than rare, writes vocab.txt, and returns
    its tokenizer."""
    trainer = BertWordPieceTokenizer(lowercase=True)
    trainer.train_from_iterator(texts, vocab_size=size, min_frequency=rare, show_progress=False)
    ids = trainer.get_vocab()
    tokens = sorted(ids, key=ids.get)
    path.write_text("".join(token + "\n" for token in tokens))
    return Tokenizer(tokens)
