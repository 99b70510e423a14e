/** The integers that fields may have, as GraphQL's Int; the highest one is also the highest id. */
export const minInt = -(2 ** 31)
export const maxInt = 2 ** 31 - 1
