/** Bytes of UTF-8 that a document may have by default. In a file of its own, which loads no validator. */
export const defaultMaxDataSize = 262_144
