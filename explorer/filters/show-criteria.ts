import { type Criteria, writeCriteria } from '../gallery/criteria.ts'
import { hrefOf, navigate } from '../route.ts'

/** Shows the gallery with these criteria. */
export const showCriteria = (criteria: Criteria) => navigate(hrefOf([], writeCriteria(criteria)))

/** Adds a value to a list, or removes it. */
export const toggleValue = <T>(list: T[], one: T, isSame = (a: T, b: T) => a === b): T[] =>
  list.some(each => isSame(each, one)) ? list.filter(each => !isSame(each, one)) : [...list, one]
