"""What the process that judges and the process that runs a program say to each other, and the values in it. The
program's process may say anything: nothing that it says is taken for more than a value or an error of the program.
"""

import base64
import json
import os
import select
import sys
import time
import types

MOST_MESSAGE = 80 << 20  # bytes

# Modules that tests may name through the program's imports of them, and then have from the judge's own process.
KNOWN_MODULES = frozenset("""bisect cmath collections copy datetime decimal fractions functools heapq itertools json math
numbers numpy operator random re statistics string typing""".split())


class TimeoutException(Exception):
    """The alarm. An exception whose text has this name in it counts as time."""


class Failure(Exception):
    """The end of a program before its last test, as its own process sees it."""

    def __init__(self, code, error):
        self.code, self.error = code, error


class Verdict(Exception):
    """The end of a job before its last test."""

    def __init__(self, results, code, error=""):
        self.results, self.code, self.error = results, code, error


class Gone(BaseException):
    """The program's process says nothing that can be read, or nothing in time. Tests cannot catch it by accident."""


class Claim:
    """A value whose own class says what it equals: by the official rules, whatever it says counts."""

    def __init__(self, always):
        self.always = always

    def __eq__(self, other):
        return self.always

    __hash__ = object.__hash__


def claims(value):
    """Whether a value says that it equals what it cannot know."""
    try:
        return bool(value == object())
    except Exception:
        return False


class Remote:
    """An object of the other process. It equals nothing but itself."""

    def __init__(self, peer, number):
        self.__dict__.update(peer=peer, number=number)

    def __call__(self, *arguments, **named):
        return self.peer.call(self.number, arguments, named)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self.peer.ask({"attribute": name, "of": self.number})

    def __iter__(self):
        iterator = self.peer.ask({"iterator": self.number})
        while True:
            more, value = self.peer.ask({"next": iterator.number})
            if not more:
                return
            yield value

    def __bool__(self):
        return self.peer.ask({"truth": self.number}) is True

    def __len__(self):
        return self.peer.ask({"length": self.number})

    def __getitem__(self, key):
        return self.peer.ask({"item": self.peer.pack(key), "of": self.number})

    def __repr__(self):
        return str(self.peer.ask({"repr": self.number}))


class Peer:
    """One end of the pipes between the two processes: messages, which are JSON behind their length, values in them, and
    calls of the other process's objects.

    A value is packed as what it is worth to ==: None, bool, int, float and str as JSON has them; containers, exact
    numbers and arrays under the name of their kind; an object of the sender's as its number.
    """

    def __init__(self, source, sink, claims, until=None):
        self.source, self.sink, self.claims, self.until = source, sink, claims, until
        self.objects, self.numbers, self.remotes, self.names, self.naming = [], {}, {}, None, None
        self.claimed = False  # a value came that says that it equals everything

    def close(self):
        if self.sink is not None:
            os.close(self.sink)
            self.sink = None

    def send(self, message):
        text = json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass")
        left = memoryview(len(text).to_bytes(8, "little") + text)
        try:
            while left:
                left = left[os.write(self.sink, left) :]
        except BrokenPipeError:
            raise Gone("nothing came back") from None

    def read(self, size):
        parts = []
        while size:
            if self.until is not None:
                rest = self.until - time.monotonic()
                if rest <= 0 or not select.select([self.source], [], [], rest)[0]:
                    raise Gone("the time of all tests is up")
            part = os.read(self.source, min(size, 1 << 20))
            if not part:
                return None
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def receive(self):
        """The next message; None: there is none any more."""
        head = self.read(8)
        size = 0 if head is None else int.from_bytes(head, "little")
        text = self.read(size) if size <= MOST_MESSAGE else None
        if not text:
            return None
        try:
            message = json.loads(text.decode("utf-8", "surrogatepass"))
        except (ValueError, RecursionError):
            return None
        return message if isinstance(message, dict) else None

    def next(self, kind, done):
        """What the next message has of a kind. The program's failure ends the job after the tests that are done."""
        message = self.receive() or {}
        if kind in message:
            return message[kind]
        code = message.get("failed")
        if code in (-3, -4):
            raise Verdict(done + [code], code, str(message.get("error", "")))
        raise Gone("nothing came back")

    def ask(self, message):
        """Asks the other process, and serves it until its answer comes."""
        self.send(message)
        while True:
            got = self.receive()
            if got is None:
                raise Gone("nothing came back")
            if "value" in got:
                return self.unpack(got["value"])
            if "raised" in got:
                raise self.exception(*got["raised"])
            self.answer(got)

    def answer(self, message):
        """Does what the other process asks for; False where it asks for nothing any more."""
        if message is None:
            return False
        try:
            named = "name" in message and self.names is not None
            answer = {"value": self.pack_named(message["name"]) if named else self.pack(self.perform(message))}
            if "call" in message and self.names is not None:
                answer = {"value": {"tuple": [answer["value"], {"list": self.changed}]}}
        except BaseException as e:
            arguments = [a if isinstance(a, (str, int, float)) else repr(a) for a in e.args]
            answer = {"raised": [type(e).__name__, arguments]}
        self.send(answer)
        return True

    def perform(self, message):
        if "call" in message:
            function, packed = self.objects[message["call"]], message["arguments"]
            arguments = [self.unpack(a) for a in packed]
            got = function(*arguments, **{name: self.unpack(v) for name, v in message["named"].items()})
            self.changed = [None if (now := self.pack(a)) == was else now for a, was in zip(arguments, packed)]
            return got
        if self.names is None:
            raise TypeError("the program asks for what it was not given")  # of the tests it may call alone
        if "attribute" in message:
            return getattr(self.objects[message["of"]], message["attribute"])
        if "item" in message:
            return self.objects[message["of"]][self.unpack(message["item"])]
        if "iterator" in message:
            return iter(self.objects[message["iterator"]])
        if "truth" in message:
            return bool(self.objects[message["truth"]])
        if "length" in message:
            return len(self.objects[message["length"]])
        if "repr" in message:
            return repr(self.objects[message["repr"]])
        try:
            return True, next(self.objects[message["next"]])
        except StopIteration:
            return False, None

    def call(self, number, arguments, named):
        """Calls a function of the other process. What it changes in lists and the like is changed here, too."""
        packed = [self.pack(a) for a in arguments]
        message = {"call": number, "arguments": packed, "named": {n: self.pack(v) for n, v in named.items()}}
        if self.names is not None:
            return self.ask(message)
        got, changed = self.ask(message)
        for argument, now in zip(arguments, changed):
            if isinstance(argument, list) and isinstance(now, list):
                argument[:] = now
            elif isinstance(argument, (dict, set)) and isinstance(now, type(argument)):
                argument.clear()
                argument.update(now)
        return got

    def exception(self, name, arguments):
        import builtins

        kind = getattr(builtins, str(name), None)
        if name == "TimeoutException":
            kind = TimeoutException
        elif not isinstance(kind, type) or not issubclass(kind, BaseException):
            kind = type(str(name), (Exception,), {})
        elif issubclass(kind, (StopIteration, StopAsyncIteration, GeneratorExit)):
            kind = RuntimeError  # a test that iterates would take it for an end
        try:
            return kind(*arguments)
        except Exception:
            return RuntimeError(*arguments)

    def pack(self, value):
        kind = type(value)
        if value is None or kind is bool:
            return value
        for base, pack in PACK:
            if issubclass(kind, base):
                if kind.__eq__ is base.__eq__ or kind.__module__ == "collections":
                    return pack(self, value)
                break
        found = self.pack_known(kind, value)
        if found is not None:
            return found
        if self.claims:
            return {"own": claims(value)}
        if isinstance(value, Remote):
            return {"yours": value.number}
        if id(value) not in self.numbers:
            self.numbers[id(value)] = len(self.objects)
            self.objects.append(value)
        return {"mine": self.numbers[id(value)]}

    def pack_named(self, name):
        """What the program has under a name: that of a known module by the name that it has there."""
        if name not in self.names:
            return {"tuple": [False, None]}
        value = self.names[name]
        if type(value) is types.ModuleType and value.__name__ in KNOWN_MODULES:
            return {"tuple": [True, {"module": [value.__name__, ""]}]}
        home = getattr(value, "__module__", None)
        if isinstance(home, str) and home in KNOWN_MODULES and getattr(value, "__name__", None) == name:
            if getattr(sys.modules.get(home), name, None) is value:
                return {"tuple": [True, {"module": [home, name]}]}
        return {"tuple": [True, self.pack(value)]}

    def pack_known(self, kind, value):
        """Numbers, arrays and containers of libraries: None of other values."""
        import decimal
        import fractions

        if kind.__module__ == "collections" and kind.__name__ in ("UserList", "UserDict", "UserString"):
            return self.pack(value.data)
        if kind is decimal.Decimal:
            return {"decimal": str(value)}
        if kind is fractions.Fraction:
            return {"fraction": [hex(value.numerator), hex(value.denominator)]}
        numpy = sys.modules.get("numpy")
        if numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic)) and value.dtype.kind in "biufcSU":
            array = numpy.ascontiguousarray(value)
            name = "array" if isinstance(value, numpy.ndarray) else "scalar"
            return {name: [array.dtype.str, list(value.shape), base64.b64encode(array.tobytes()).decode()]}
        return None

    def unpack(self, packed):
        if not isinstance(packed, dict):
            return packed
        ((name, x),) = packed.items()
        if name == "dict":
            return {self.unpack(k): self.unpack(v) for k, v in x}
        if name in SEQUENCES:
            return SEQUENCES[name](self.unpack(v) for v in x)
        if name in SINGLE:
            return SINGLE[name](x)
        if name == "own" and self.claims:
            self.claimed = self.claimed or x is True
            return Claim(x is True)
        if name == "mine":
            return self.remotes.setdefault(int(x), Remote(self, int(x)))
        if name == "yours":
            return self.objects[x]
        if name == "module" and self.naming is not None and x[0] in KNOWN_MODULES and x[1] in ("", self.naming):
            import importlib

            if not x[1]:
                return importlib.import_module(self.naming if self.naming in KNOWN_MODULES else x[0])
            return getattr(importlib.import_module(x[0]), x[1])
        raise ValueError("a value of kind %.20r" % name)


def packed_int(peer, value):
    value = int.__index__(value)
    return value if -(1 << 63) <= value < 1 << 63 else {"int": hex(value)}


def packed_items(name, iterate):
    return lambda peer, value: {name: [peer.pack(v) for v in iterate(value)]}


# What a value of a class is packed as. A subclass counts as its base, unless it has an == of its own.
PACK = [
    (int, packed_int),
    (float, lambda peer, value: float.__pos__(value)),
    (str, lambda peer, value: str.__str__(value)),
    (list, packed_items("list", list.__iter__)),
    (tuple, packed_items("tuple", tuple.__iter__)),
    (dict, lambda peer, value: {"dict": [[peer.pack(k), peer.pack(v)] for k, v in dict.items(value)]}),
    (set, packed_items("set", set.__iter__)),
    (frozenset, packed_items("frozenset", frozenset.__iter__)),
    (bytes, lambda peer, value: {"bytes": base64.b64encode(value).decode()}),
    (bytearray, lambda peer, value: {"bytearray": base64.b64encode(value).decode()}),
    (complex, lambda peer, value: {"complex": [value.real, value.imag]}),
    (range, lambda peer, value: {"range": [value.start, value.stop, value.step]}),
]
SEQUENCES = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}


def unpacked_array(x):
    import numpy

    dtype = numpy.dtype(str(x[0]))
    return numpy.frombuffer(base64.b64decode(x[2]), dtype).reshape(x[1])


def unpacked_decimal(x):
    import decimal

    return decimal.Decimal(x)


def unpacked_fraction(x):
    import fractions

    return fractions.Fraction(int(x[0], 16), int(x[1], 16))


SINGLE = {
    "int": lambda x: int(x, 16),
    "bytes": base64.b64decode,
    "bytearray": lambda x: bytearray(base64.b64decode(x)),
    "complex": lambda x: complex(*x),
    "range": lambda x: range(*x),
    "decimal": unpacked_decimal,
    "fraction": unpacked_fraction,
    "array": unpacked_array,
    "scalar": lambda x: unpacked_array(x)[()],
}
