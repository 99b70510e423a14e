/**
 * What work costs: all numbers are here. A unit is about 10 microseconds of one core, as for GRAPHQL_MAX_COST. The comments
 * name what a number covers, and what was measured with SQLite and 100,000 generated templates (2 × AMD EPYC, 2026-11-26).
 * PostgreSQL takes about twice as long for the same (bench/reading.md).
 *
 * A wrong number changes no result. Costs decide when an operation is refused, which SQLite statements run on a thread, and
 * how many rows are tested before an index is asked. test/graphql/cost-fuzz.test.ts compares costs with CPU time.
 */

/** A statement without its rows, with its resolver: 0.7 on SQLite, about 20 on PostgreSQL with the network. */
export const statementCost = 20
/** A template of a page or a list, without its fields: read 0.2, written as JSON 0.5. */
export const rowCost = 1
/** A row that is read in order, or one of its columns that is compared: 0.002 to 0.013. */
export const visitCost = 0.01
/**
 * An id or a value in a list: an index lists it 0.01 to 0.03, an order is tested for it 0.02, a facet counts it 0.01 to
 * 0.04, a column sorts it 0.01 to 0.07.
 */
export const listCost = 0.03
/** An entry of a trait whose text is read: compared with bounds 0.08, sorted 0.18, grouped 0.16. */
export const entryCost = 0.2
/** A template, word, product id or trait that is looked up for one row: 0.06 to 0.27. */
export const lookUpCost = 0.3
/** A word whose beginning is looked up: 2. A misspelled word of a search has up to 3000 neighbours. */
export const wordCost = 3

/** A character of a document that is read, parsed or hashed: 0.0001 to 0.0002. */
export const readCostPerCharacter = 1 / 4096
/** A character of a document that a rule tests: 0.002, and five times as much if all its words differ. */
export const testCostPerCharacter = 1 / 100
/** A character of a filter to plan, of arguments to write, or of a document to compare: 0.003 to 0.1. */
export const textCostPerCharacter = 1 / 20

/** A field that graphql-js completes, with its value in the JSON. */
export const fieldCost = 0.1
/** An object inside an item, or a field with arguments, which waits for its turn: they are limited for their memory. */
export const objectCost = 6
export const callCost = 40
/** A field of administration, besides its items and its write. */
export const administrationCost = 8 * statementCost
/** A mutation, besides its arguments. */
export const mutationCost = 10 * statementCost
/** A template that a mutation of many writes: 31, as `seed --load` takes for each. */
export const writtenCost = 30
/** A kilobyte of the result. It is counted but never refused, because the size of the result is limited. */
export const resultKilobyteCost = 1

/** A statement that costs more runs on a thread, because it would block the event loop for about 15 ms. */
export const maxStatementCostInLoop = 1500
/** What testing the first rows of an order may cost, 3 ms: most filters find a full page among them. */
export const maxCostOfFirstRows = 300
/** So few templates are tested or looked up one by one. More are found by an index, and compared with its list. */
export const maxFewTemplates = 2000
