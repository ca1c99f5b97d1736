export { allocate, mulDiv, percentOf, Ratio } from './money.ts'
