import { allProducts } from './all-products.ts'
import { changes } from './changes.ts'
import { product, productByHash } from './product.ts'
import { products } from './products.ts'
import { revisionDiff } from './revisions.ts'
import { traits } from './traits.ts'

export const Query = { allProducts, changes, product, productByHash, products, revisionDiff, traits }
