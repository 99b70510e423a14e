/**
 * What work costs: all numbers are here. A unit is about 10 microseconds of one core, as for GRAPHQL_MAX_COST. Each comment
 * says what the number is per, and what was measured: on SQLite with 100,000 generated templates, 2 × AMD EPYC, 2026-11-26.
 * PostgreSQL takes two or three times as long (bench/reading.md).
 *
 * A wrong number changes no result. Costs decide when an operation is refused, which SQLite statements run on a thread, and
 * how many rows are tested before an index is asked. test/graphql/cost-fuzz.test.ts compares costs with the time of the CPU.
 */

/** A statement without its rows, and the resolver around it: 0.8 without the resolver. It is high because of PostgreSQL. */
export const statementCost = 20
/** A template of a page or a list, without its fields: 0.5, and 1 with its document. */
export const rowCost = 1
/** A row that is read in order, or one of its columns that is compared: 0.002 to 0.013. */
export const visitCost = 0.01
/**
 * An id or a value of a long list: 0.01 to 0.03 if an index lists it, 0.02 to test it for an order, 0.01 to 0.04 to count it
 * for a facet, 0.01 to 0.07 to sort it by a column.
 */
export const listCost = 0.03
/** Traits of a template in typical data. */
export const usualTraits = 25
/** An entry of a trait whose text is read: 0.08 to compare it with bounds, 0.16 to group it, 0.18 to sort it. */
export const entryCost = 0.2
/** A template, word, product id or trait that is looked up for one row: 0.06 to 0.27. */
export const lookUpCost = 0.3
/** A name that is searched for a part: 0.02, and 0.25 if names have 500 characters. */
export const searchedNameCost = 0.025
/** A template that is sorted by a trait, besides the entries of the trait: 0.06. */
export const sortedByTraitCost = 0.1
/** A word whose beginning is looked up: 2. A misspelled word of a search has up to 3000 neighbours. */
export const wordCost = 3

/** A character of a document that is read, parsed or hashed: 0.0001 to 0.0002. */
export const readCostPerCharacter = 1 / 4096
/** A character of a document that a rule tests: 0.002, and 0.01 in a list of many short texts. */
export const testCostPerCharacter = 1 / 100
/** A character of a filter to plan, or of arguments to write: 0.003 to 0.1. */
export const textCostPerCharacter = 1 / 20
/** A character of a message that the SDK of MCP checks: 0.03 to 0.15. */
export const messageCostPerCharacter = 1 / 25
/** A character of a document to compare. */
export const diffCostPerCharacter = 1 / 40
/** A pair of elements, or a key, that a difference compares: 0.1. */
export const comparisonCost = 0.1

/** A field that graphql-js completes, with its value in the JSON: 0.08. */
export const fieldCost = 0.1
/** An object inside an item, and a field with arguments, which waits for its turn. They are high because of their memory. */
export const objectCost = 6
export const callCost = 2 * statementCost
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
/** Maximum cost of testing the first rows of an order, 3 ms. Most filters find a full page among them. */
export const maxCostOfFirstRows = 300
/** Up to this number, templates are tested or looked up one by one. More are found by an index. */
export const maxFewTemplates = 2000
