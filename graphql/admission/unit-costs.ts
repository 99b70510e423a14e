/**
 * The costs of work: the prices, and the limits by cost. The limits by characters are in `operation/operation.ts`. A
 * unit is about 10 microseconds of one core, as for GRAPHQL_MAX_COST. Prices have a measurement, limits have a time. The
 * prices were measured on SQLite with 100,000 generated templates, 2 × AMD EPYC, 2026-11-26. PostgreSQL takes two or
 * three times as long (bench/reading.md).
 *
 * A wrong number changes no result. Costs decide which operations are refused, and which ones run on a worker thread.
 */

export const unitsPerMillisecond = 100

/**
 * A field that reads something by a key: 0.8. The price is higher than the measurement, because it is also the default
 * for fields that declare no cost.
 */
export const lookUpCost = 20
/** A template or another item of a list, without its fields: 0.2, and 0.5 to 1 without graphql-jit. */
export const itemCost = 0.2
/** A field of an item, with its value in the JSON: 0.02, and 0.08 without graphql-jit. */
export const fieldCost = 0.04
/** A row of the store that is read in order, or one of its columns that is compared: 0.002 to 0.013. */
export const rowCost = 0.01
/** An entry of a trait that is counted or sorted: 0.08 to 0.18. */
export const entryCost = 0.1
/** A value, a word or a product id that an index is asked for: 0.3 to 2. */
export const valueCost = 3
/** A character of a document that is read, parsed or hashed: 0.0001 to 0.0002. */
export const documentCostPerCharacter = 1 / 4096
/** A character of a filter to plan, or of arguments to write: 0.003 to 0.1. */
export const textCostPerCharacter = 1 / 20
/** A mutation or a field of administration, besides its arguments. Not measured. */
export const baseCost = 200
/** Comparing two documents: 1500 if 80 traits all differ. For queries, a worker thread does it. */
export const diffCost = 2000
/** A template of a bulk write: 31, as `seed --load` takes for each. */
export const writeCost = 30
/** Operations with a higher requested cost, about 5 ms, start in separate turns of the event loop. */
export const maxInterleavedCost = 500
/** Operations with a lower requested cost, about 100 ms, do not wait for longer ones. */
export const maxShortCost = 10_000
/** Operations with a higher requested cost, about 15 ms, run on a worker thread, so that others need not wait. */
export const maxMainThreadCost = 1500
