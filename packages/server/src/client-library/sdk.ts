import sdk from '@voucherify/sdk'

// Node does not see the names of this CommonJS package.
export const { VoucherifyClientSide, VoucherifyServerSide } = sdk
