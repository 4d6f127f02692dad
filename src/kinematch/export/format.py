"""Format: where everything stands in an exported data file and in the memory that it is loaded into, in 8-byte words.

A file is a head, the arrays, the patches of handles, names and the description as text, then contents on cache lines.
Memory is a head, the address of each array, then the arrays that the step writes into; the others stay in the file.
"""

from kinematch.compile.handle import WORD as WORD
from kinematch.compile.memory import CACHE_LINE

MAGIC = int.from_bytes(b"KINEMATC", "little")
VERSION = 1
MAX_COUNT = 100_000  # characters
MAX_BYTES = 2**40  # of one array
MAX_EACH = 2**20  # bytes of memory that a character needs
SPARE = 16  # so many characters' for what all of them share, beside as much as the file
MAX_ARRAYS = 10_000
RANK = 5  # axes that an array can have

# head of a file; the checksum covers the words behind it
FILE_MAGIC, FILE_VERSION, FILE_SIZE, CHECKSUM = range(4)
ARRAY_COUNT, PATCH_COUNT, INSTANCE, ABOUT_AT, ABOUT_SIZE, RECORDS, STATE_DIGEST = range(4, 11)
FILE_HEAD = 16
# an array
(NAME_AT, KIND, ITEM_SIZE, ARRAY_RANK) = range(4)
SHAPE = 4  # for each axis a fixed number and one for each character
(FILL, CONTENT_AT, CONTENT_SIZE, STEP, SPREAD, IS_STATE, PARENT, PARENT_AT) = range(SHAPE + 2 * RANK, 22)
ARRAY_WORDS = 24
# how it begins: zeros; its content in the file itself; the rows of one character, repeated; a part of another array
ZEROS, IN_FILE, REPEATED, INSIDE = range(4)
KINDS = ("b1", "i1", "u1", "u2", "i4", "i8", "f4", "f8")  # by number, as numpy names them
# a patch: a word of a handle, which is an address in an array or a number that depends on how many characters there are
PATCH_ARRAY, PATCH_WORD, PATCH_TARGET, PATCH_FIXED, PATCH_EACH = range(5)
PATCH_WORDS = 5
NOWHERE = -1  # in place of a target

# head of the memory
OWN_MAGIC, OWN_FILE, OWN_COUNT, OWN_SIZE, OWN_INSTANCE, OWN_STATE_SIZE = range(6)
OWN_HEAD = 8
LOADED = int.from_bytes(b"KINEMEM1", "little")
# what `find` writes
FOUND_AT, FOUND_KIND, FOUND_RANK, FOUND_SHAPE = range(4)
# head of a saved state
STATE_MAGIC, STATE_OF, STATE_COUNT, STATE_BYTES = range(4)
STATE_HEAD = 4
SAVED = int.from_bytes(b"KINESTAT", "little")

# errors, negative
(NO_FILE, OTHER_VERSION, OTHER_RECORDS, CUT_SHORT, DAMAGED, OUT_OF_RANGE, TOO_MANY, NO_MEMORY, NOT_LOADED, NO_ARRAY,
 NO_CHARACTER, NOT_FINITE, NO_FRAME, OTHER_STATE, NOT_BEGUN) = range(-1, -16, -1)  # fmt: skip
ERRORS = {
    NO_FILE: "not a file of kinematch export",
    OTHER_VERSION: "a file of another format version",
    OTHER_RECORDS: "a file made by another version of Kinematch than this library",
    CUT_SHORT: "the file is shorter or longer than it says",
    DAMAGED: "the file is damaged: its checksum differs",
    OUT_OF_RANGE: "the file is damaged: a number is out of range",
    TOO_MANY: "a number of characters out of range",
    NO_MEMORY: "not enough memory",
    NOT_LOADED: "nothing is loaded here",
    NO_ARRAY: "no array of this name",
    NO_CHARACTER: "a character, filter, source, time or ground out of range",
    NOT_FINITE: "a command that is not finite",
    NO_FRAME: "no frame may be taken: a filter admits none",
    OTHER_STATE: "a state of another character, or of another number of them",
    NOT_BEGUN: "ground that is asked for needs begin and finish in place of step, and nothing else does",
}

HASH_MULTIPLIER, HASH_STEP = 0x9E3779B97F4A7C15, 0xD1B54A32D192ED03  # odd numbers of random bits

assert WORD == 8
assert CACHE_LINE % WORD == 0
