import { type Criteria, writeCriteria } from '../gallery/criteria.ts'
import { hrefOf, navigate } from '../route.ts'

let receive: ((criteria: Criteria) => void) | undefined

/** Lets a form receive the criteria that the filters choose, until it is called without one. */
export const receiveCriteria = (receiver?: (criteria: Criteria) => void): void => {
  receive = receiver
}

/** Shows the gallery with these criteria, or hands them to the form with the filters. */
export const showCriteria = (criteria: Criteria): void =>
  receive ? receive(criteria) : navigate(hrefOf([], writeCriteria(criteria)))

/** Adds a value to a list, or removes it. */
export const toggleValue = <T>(list: T[], one: T, isSame = (a: T, b: T) => a === b): T[] =>
  list.some(each => isSame(each, one)) ? list.filter(each => !isSame(each, one)) : [...list, one]
